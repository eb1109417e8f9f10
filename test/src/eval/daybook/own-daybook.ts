import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiKey } from '@daybook/postgres/access/api-keys'
import { ensureProject } from '@daybook/postgres/access/projects'
import { type DatabaseAddress, openDatabase, serverAddress } from '@daybook/postgres/connect'
import { startEmbeddedDatabase } from '@daybook/postgres/embedded/start'
import { migrate } from '@daybook/postgres/migrate'
import { copyEmptyCluster } from '@daybook/postgres/testing/embedded-template'
import { silentLogger } from '@daybook/runtime/logger'
import { createTestDaemon } from '../../support/daemon.ts'
import { askGraphQL, TransportError } from '../../support/graphql.ts'
import { type Address, categoryOf, type EvaluatedDaybook } from './evaluated-daybook.ts'

/** How the daemon is set up. */
export interface OwnDaybookOptions {
  /** The names of the groups; each becomes a project. */
  readonly groups: readonly string[]
  readonly embedder: 'minilm' | 'none'
  /** A data folder to keep and use again, for the same groups only. Default: a temporary one. */
  readonly folder?: string
  /** A Postgres server. Default `DATABASE_URL` of the environment, else the embedded database. */
  readonly databaseUrl?: string | undefined
  /** Whether terms of the ranking will be left out. Then the daemon runs from source, not from its bundle. */
  readonly ablated?: boolean
}

/**
 * Starts a daemon with a project for each group, on embedded parts or on the Postgres and Typesense that the
 * environment names.
 * @throws DaemonDidNotStart
 */
export async function startOwnDaybook(options: OwnDaybookOptions): Promise<EvaluatedDaybook> {
  const { groups, embedder, folder, ablated = false, databaseUrl = process.env['DATABASE_URL'] } = options
  const dataDir = folder ?? mkdtempSync(join(tmpdir(), 'daybook-eval-'))
  const keys = await projectKeys(dataDir, groups, databaseUrl)
  const daemon = createTestDaemon(dataDir, {
    embedder,
    environment: serverSettings(databaseUrl),
    ...(ablated ? { entry: 'test/src/eval/daybook/ablated-daemon.ts' } : {}),
  })
  try {
    await daemon.start()
  } catch (error) {
    if (folder === undefined) await daemon.remove()
    throw error
  }
  return {
    description: `a daemon of its own on ${databaseUrl ? 'a Postgres server' : 'embedded parts'}, a project for each group`,
    place(group) {
      const address = (): Address => {
        const [url, apiKey] = [daemon.url(), keys[group]]
        if (url === null) throw new TransportError(`the daemon has ended\n${daemon.log()}`)
        if (apiKey === undefined) throw new Error(`there is no project for ${group}`)
        return { url, apiKey }
      }
      return {
        category: categoryOf(group),
        shared: false,
        address,
        ask: async (request) => askGraphQL(address(), request),
      }
    },
    async rankWithout(terms) {
      if (ablated) await daemon.tell(terms)
      else if (terms.length > 0) throw new Error('this daemon was not started to leave terms out')
    },
    async close() {
      if (folder === undefined) await daemon.remove()
      else await daemon.stop()
    },
  }
}

/**
 * Makes a project and a key for each group, in the database before the daemon starts: the API makes no
 * projects yet.
 */
async function projectKeys(
  dataDir: string,
  groups: readonly string[],
  url: string | undefined,
): Promise<Readonly<Record<string, string>>> {
  return url ? makeKeys(serverAddress(url), groups) : embeddedKeys(dataDir, groups)
}

/** Does so in the embedded database, and keeps the keys in a file: later only the daemon can connect. */
async function embeddedKeys(
  dataDir: string,
  groups: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const file = join(dataDir, 'eval-keys.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  mkdirSync(dataDir, { recursive: true })
  if (!existsSync(join(dataDir, 'postgres'))) await copyEmptyCluster(dataDir)
  const embedded = await startEmbeddedDatabase(dataDir, silentLogger)
  try {
    const keys = await makeKeys(embedded.address, groups)
    writeFileSync(file, JSON.stringify(keys), { mode: 0o600 })
    return keys
  } finally {
    await embedded.stop()
  }
}

async function makeKeys(
  address: DatabaseAddress,
  groups: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  await migrate(address)
  const db = openDatabase(address, { role: null })
  try {
    const keys: Record<string, string> = {}
    for (const group of groups)
      keys[group] = await createApiKey(db, await ensureProject(db, `eval-${group}`), group)
    return keys
  } finally {
    await db.destroy()
  }
}

/** The daemon's settings for the database server, and for the Typesense that the environment names. */
function serverSettings(database: string | undefined): Record<string, string> {
  const { TYPESENSE_URL: url, TYPESENSE_API_KEY: key } = process.env
  return {
    ...(database && { DATABASE_URL: database }),
    ...(url && key && { TYPESENSE_URL: url, TYPESENSE_API_KEY: key }),
  }
}
