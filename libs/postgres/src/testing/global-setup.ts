import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { serverAddress } from '../connect.ts'
import { migrate } from '../migrate.ts'
import { TEST_EMBEDDED_POOL } from './borrow-embedded.ts'
import { NoNativeServerError } from './native-binaries.ts'
import { startNativeServer } from './native-server.ts'
import { createNativeDatabase, TEST_DATABASE_TEMPLATE, TEST_DATABASE_URL } from './test-database.ts'

/**
 * vitest's global setup: provides, once per run, a pool of embedded databases and a native Postgres for the suites. Any other way to get one
 * (a container) belongs here: suites know only the variable.
 *
 * - `DAYBOOK_TEST_DATABASE_URL`, if given: a superuser's address of a server with pgvector. Each test file
 *   makes its own database there and drops it.
 * - else a server of this machine, started for the run
 * - else none: a loud message, or an error with `DAYBOOK_TEST_REQUIRE=all`
 */
export default async function setup(): Promise<() => Promise<void>> {
  useBaselineCompiler()
  const stopPool = await startPool()
  const stopNative = await provideNative()
  return async () => {
    await Promise.all([stopPool(), stopNative?.()])
  }
}

/** For the embedded databases of the run, those of daemons too, whose environment tests make. */
function useBaselineCompiler(): void {
  const preload = `--require=${JSON.stringify(fileURLToPath(new URL('./baseline-compiler.cjs', import.meta.url)))}`
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, preload].filter(Boolean).join(' ')
}

/** @returns a function that ends it with all its databases */
async function startPool(): Promise<() => Promise<void>> {
  const pool = fork(fileURLToPath(new URL('./embedded-pool.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
  })
  const [path] = (await once(pool, 'message')) as [string]
  process.env[TEST_EMBEDDED_POOL] = path
  return async () => {
    delete process.env[TEST_EMBEDDED_POOL]
    const ended = once(pool, 'exit')
    pool.disconnect()
    await ended
  }
}

async function provideNative(): Promise<(() => Promise<void>) | undefined> {
  const given = process.env[TEST_DATABASE_URL]
  if (given !== undefined && given !== '') {
    await checkPgvector(given)
    return makeTemplate()
  }
  try {
    const server = await startNativeServer()
    process.env[TEST_DATABASE_URL] = server.url
    const dropTemplate = await makeTemplate()
    return async () => {
      await dropTemplate()
      delete process.env[TEST_DATABASE_URL]
      await server.stop()
    }
  } catch (error) {
    if (!(error instanceof NoNativeServerError)) throw error
    const problem = `native Postgres: ${error.message}. Run infra/debian/install, or set ${TEST_DATABASE_URL}.`
    if (process.env.DAYBOOK_TEST_REQUIRE === 'all')
      throw new Error(`Cannot test on ${problem}`, { cause: error })
    process.stderr.write(`\n*** NOT TESTED on ${problem}\n\n`)
    return undefined
  }
}

/** Makes the migrated database that suites copy. @returns a function that drops it */
async function makeTemplate(): Promise<() => Promise<void>> {
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
