import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { serverAddress } from '@daybook/postgres/connect'
import { migrate } from '@daybook/postgres/migrate'
import { TEST_EMBEDDED_POOL } from '@daybook/postgres/testing/borrow-embedded'
import { migratedTemplate, TEST_CACHE } from '@daybook/postgres/testing/embedded-template'
import { OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { TEST_EMBEDDED_BUNDLE } from '@daybook/postgres/testing/start-bundled'
import {
  createNativeDatabase,
  TEST_DATABASE_TEMPLATE,
  TEST_DATABASE_URL,
} from '@daybook/postgres/testing/test-database'
import { isBare } from '@daybook/runtime/testing/needs'
import { parseServerAddress } from '@daybook/transport/jetstream/server-address'
import { OWN_NATS, startNativeNats } from '@daybook/transport/testing/native-nats'
import { TEST_NATS_URL, testNatsUrl } from '@daybook/transport/testing/test-nats'
import { connect } from '@nats-io/transport-node'
import { Client } from 'pg'
import { startContainers } from './containers.ts'

type Stop = () => Promise<unknown>

/**
 * vitest's global setup of the lanes with servers: provides, once per run, what suites share. Any other way to get a server belongs here:
 * suites know only the variables. Those of a server that is not there are left out (`needing`).
 *
 * - a pool of embedded databases, and a bundle to start others from
 * - `DAYBOOK_TEST_DATABASE_URL`: a superuser's address of a Postgres with pgvector, where each test file makes its own database. If it is
 *   not given: a container, or a server of this machine
 * - `DAYBOOK_TEST_NATS_URL`: a NATS with JetStream, where suites make their own streams; likewise. Suites that kill a server start their own
 */
export default async function setup(): Promise<Stop> {
  // Both lanes have this setup.
  if (process.env[TEST_EMBEDDED_POOL] !== undefined) return async () => {}
  const stopContainers = await startContainers()
  const stops = await Promise.all([startPool(), providePostgres(), provideNats()])
  return async () => {
    await Promise.all(stops.map((stop) => stop?.()))
    await stopContainers()
  }
}

async function startPool(): Promise<Stop> {
  // JavaScript, so typed nowhere.
  const { bundleFiles } = (await import('../../../scripts/bundle.mjs' as string)) as {
    bundleFiles: (entries: Record<string, string>, outdir: string) => Promise<unknown>
  }
  const source = (name: string) => join(import.meta.dirname, '../../../libs/postgres/src', name)
  const folder = join(TEST_CACHE, 'pool')
  // From source, each of its databases would load the TypeScript loader first: 1.6 s of CPU time for a start instead of .85 s.
  await bundleFiles(
    {
      pool: source('testing/embedded-pool.ts'),
      start: source('embedded/start.ts'),
      'embedded-postgres': source('embedded/child.ts'),
    },
    folder,
  )
  const pool = fork(join(folder, 'pool.js'), [migratedTemplate()])
  const [path] = (await once(pool, 'message')) as [string]
  process.env[TEST_EMBEDDED_POOL] = path
  process.env[TEST_EMBEDDED_BUNDLE] = join(folder, 'start.js')
  return async () => {
    delete process.env[TEST_EMBEDDED_POOL]
    delete process.env[TEST_EMBEDDED_BUNDLE]
    const ended = once(pool, 'exit')
    pool.disconnect()
    await ended
  }
}

async function providePostgres(): Promise<Stop | undefined> {
  const given = process.env[TEST_DATABASE_URL]
  if (isBare()) return undefined
  if (given) {
    await checkPgvector(given)
    return makeTemplate()
  }
  if (OWN_POSTGRES.problem !== null) return undefined
  const server = await startNativeServer()
  process.env[TEST_DATABASE_URL] = server.url
  const dropTemplate = await makeTemplate()
  return async () => {
    await dropTemplate()
    delete process.env[TEST_DATABASE_URL]
    await server.stop()
  }
}

/** Makes the migrated database that suites copy. @returns a function that drops it */
async function makeTemplate(): Promise<Stop> {
  const { name, url, drop } = await createNativeDatabase()
  await migrate(serverAddress(url))
  process.env[TEST_DATABASE_TEMPLATE] = name
  return async () => {
    delete process.env[TEST_DATABASE_TEMPLATE]
    await drop()
  }
}

async function checkPgvector(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rowCount } = await client.query(`select from pg_available_extensions where name = 'vector'`)
    if (rowCount === 0) throw new Error(`The server of ${TEST_DATABASE_URL} has no pgvector`)
  } finally {
    await client.end()
  }
}

async function provideNats(): Promise<Stop | undefined> {
  const given = testNatsUrl()
  if (given !== '') await checkJetStream(given)
  if (given !== '' || OWN_NATS.problem !== null) return undefined
  const server = await startNativeNats()
  process.env[TEST_NATS_URL] = server.url
  return async () => {
    delete process.env[TEST_NATS_URL]
    await server.stop()
  }
}

async function checkJetStream(url: string): Promise<void> {
  const connection = await connect(parseServerAddress(url).options)
  const { jetstream } = connection.info ?? {}
  await connection.close()
  if (jetstream !== true) throw new Error(`The server of ${TEST_NATS_URL} runs without JetStream (-js)`)
}
