import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { TEST_DATABASE_URL } from '@daybook/postgres/testing/test-database'
import { isBare } from '@daybook/runtime/testing/needs'
import { TEST_NATS_URL } from '@daybook/transport/testing/test-nats'

const POSTGRES_IMAGE = 'pgvector/pgvector:pg17'
const NATS_IMAGE = 'nats:2.10'
const TYPESENSE_IMAGE = 'typesense/typesense:29.0'

/** The variable in which the Typesense suites look for a real server, beside the double. */
const TYPESENSE_URL = 'TYPESENSE_URL'
const TYPESENSE_API_KEY = 'TYPESENSE_API_KEY'

type Stop = () => Promise<unknown>

function engineRuns(): boolean {
  if (process.env.DAYBOOK_TEST_CONTAINERS === 'off') return false
  // Check first: testcontainers take a second to load, and report a missing engine only by failing.
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
  // The module creates a user for the server.
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

/**
 * Starts a container. If that fails (no image, no network), tests still run on this machine's own servers.
 */
async function tryToStart(name: string, variable: string, start: () => Promise<Stop>): Promise<Stop | null> {
  if (process.env[variable]) return null
  try {
    return await start()
  } catch (error) {
    process.stderr.write(`\n*** The container for ${name} did not start: ${String(error)}\n\n`)
    return null
  }
}

/**
 * If a Docker engine runs, starts Postgres, NATS and Typesense as containers, in the versions of infra/compose.yaml, and sets their
 * addresses. Addresses that are set already, and `DAYBOOK_TEST_CONTAINERS=off`, take precedence. Never tried: the machine where it was
 * written has no Docker.
 * @returns what ends them
 */
export async function startContainers(): Promise<Stop> {
  if (isBare() || !engineRuns()) return async () => {}
  const stops = await Promise.all([
    tryToStart('Postgres', TEST_DATABASE_URL, startPostgres),
    tryToStart('NATS', TEST_NATS_URL, startNats),
    tryToStart('Typesense', TYPESENSE_URL, startTypesense),
  ])
  return async () => {
    await Promise.all(stops.map((stop) => stop?.()))
  }
}
