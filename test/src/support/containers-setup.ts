import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { TEST_DATABASE_URL } from '@daybook/postgres/testing/test-database'
import { TEST_NATS_URL } from '@daybook/transport/testing/test-nats'

/*
 * vitest's first global setup: where a Docker engine runs, Postgres, NATS and Typesense are containers of the versions that
 * infra/compose.yaml has, and the setups after this one find their addresses as if somebody had given them. An address that
 * was given, or `DAYBOOK_TEST_CONTAINERS=off`, comes before. NOT TESTED where it was written: no engine there.
 */

const POSTGRES_IMAGE = 'pgvector/pgvector:pg17'
const NATS_IMAGE = 'nats:2.10'
const TYPESENSE_IMAGE = 'typesense/typesense:29.0'

/** Where the suites of the Typesense projection and retriever look for a real server, beside the double. */
const TYPESENSE_URL = 'TYPESENSE_URL'
const TYPESENSE_API_KEY = 'TYPESENSE_API_KEY'

type Stop = () => Promise<unknown>

function engineRuns(): boolean {
  if (process.env.DAYBOOK_TEST_CONTAINERS === 'off') return false
  // Looked for before testcontainers, which take a second to load and tell of a missing engine only by failing.
  return process.env.DOCKER_HOST !== undefined || existsSync('/var/run/docker.sock')
}

async function startPostgres(): Promise<Stop> {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql')
  const container = await new PostgreSqlContainer(POSTGRES_IMAGE)
    .withCommand(['postgres', '-c', 'max_connections=200'])
    .start()
  process.env[TEST_DATABASE_URL] = container.getConnectionUri()
  return () => container.stop()
}

async function startNats(): Promise<Stop> {
  const { NatsContainer } = await import('@testcontainers/nats')
  // The module gives the server a user of its own.
  const container = await new NatsContainer(NATS_IMAGE).withJetStream().start()
  const { username = '', password = '' } = container
  const user = username === '' ? '' : `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`
  process.env[TEST_NATS_URL] = `nats://${user}${container.getHost()}:${container.getFirstMappedPort()}`
  return () => container.stop()
}

async function startTypesense(): Promise<Stop> {
  const { GenericContainer, Wait } = await import('testcontainers')
  const apiKey = randomBytes(24).toString('hex')
  const container = await new GenericContainer(TYPESENSE_IMAGE)
    .withEnvironment({ TYPESENSE_DATA_DIR: '/tmp', TYPESENSE_API_KEY: apiKey })
    .withExposedPorts(8108)
    .withWaitStrategy(Wait.forHttp('/health', 8108))
    .start()
  process.env[TYPESENSE_URL] = `http://${container.getHost()}:${container.getMappedPort(8108)}`
  process.env[TYPESENSE_API_KEY] = apiKey
  return () => container.stop()
}

/** An engine without images and without a network is no reason not to test on this machine's own servers. */
async function tryToStart(name: string, variable: string, start: () => Promise<Stop>): Promise<Stop | null> {
  if (process.env[variable]) return null
  try {
    return await start()
  } catch (error) {
    process.stderr.write(`\n*** The container for ${name} did not start: ${String(error)}\n\n`)
    return null
  }
}

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (!engineRuns()) return undefined
  const stops = await Promise.all([
    tryToStart('Postgres', TEST_DATABASE_URL, startPostgres),
    tryToStart('NATS', TEST_NATS_URL, startNats),
    tryToStart('Typesense', TYPESENSE_URL, startTypesense),
  ])
  return async () => {
    await Promise.all(stops.map((stop) => stop?.()))
  }
}
