import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyMigratedCluster } from '@daybook/postgres/testing/embedded-template'
import { createTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { askGraphQL, dataOf, TransportError } from '../../support/graphql.ts'
import { type Address, categoryOf, type EvaluatedDaybook } from './evaluated-daybook.ts'

/** How the daemon is set up. */
export interface OwnDaybookOptions {
  /** The names of the groups; each becomes a project. */
  readonly groups: readonly string[]
  readonly embedder: string
  /** A data folder to keep and use again, for the same groups only. Default: a temporary one. */
  readonly folder?: string
  /** A Postgres server. Default `DATABASE_URL` of the environment, else the embedded database. */
  readonly databaseUrl?: string | undefined
  /** Whether terms of the ranking will be left out. Then the daemon runs from source, not from its bundle. */
  readonly ablated?: boolean
}

/** A daemon of the evaluation. */
export interface OwnDaybook extends EvaluatedDaybook {
  readonly dataDir: string
  /** Starts it again after it was killed. @throws DaemonDidNotStart */
  restart(): Promise<void>
}

/**
 * Starts a daemon with a project for each group, on embedded parts or on the Postgres and Typesense that the
 * environment names.
 * @throws DaemonDidNotStart
 */
export async function startOwnDaybook(options: OwnDaybookOptions): Promise<OwnDaybook> {
  const { groups, embedder, folder, ablated = false, databaseUrl = process.env['DATABASE_URL'] } = options
  const dataDir = folder ?? mkdtempSync(join(tmpdir(), 'daybook-eval-'))
  if (!databaseUrl && !existsSync(join(dataDir, 'postgres'))) await copyMigratedCluster(dataDir)
  const daemon = createTestDaemon(dataDir, {
    embedder,
    environment: serverSettings(databaseUrl),
    ...(ablated ? { entry: 'test/src/eval/daybook/ablated-daemon.ts' } : {}),
  })
  let keys: Readonly<Record<string, string>>
  try {
    await daemon.start()
    keys = await projectKeys(daemon, groups)
  } catch (error) {
    if (folder === undefined) await daemon.remove()
    throw error
  }
  return {
    dataDir,
    async restart() {
      // Its end may not be known yet, which is not the end of its process.
      await daemon.kill()
      await daemon.start()
    },
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

/** Makes a project and a key for each group, and keeps the keys in a file for a folder that is used again. */
async function projectKeys(
  daemon: TestDaemon,
  groups: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const file = join(daemon.dataDir, 'eval-keys.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  const keys: Record<string, string> = {}
  for (const group of groups) {
    const project = `eval-${group}`
    await daemon.graphql({
      query: 'mutation ($name: String!) { createProject(name: $name) { __typename } }',
      variables: { name: project },
    })
    const { createKey } = dataOf(
      await daemon.graphql<{ createKey: { key: string } }>({
        query:
          'mutation ($input: CreateKeyInput!) { createKey(input: $input) { ... on CreatedKey { key } ... on DaybookError { message } } }',
        variables: { input: { name: group, projects: [project], scopes: ['READ', 'WRITE'] } },
      }),
    )
    keys[group] = createKey.key
  }
  writeFileSync(file, JSON.stringify(keys), { mode: 0o600 })
  return keys
}

/** The daemon's settings for the database server, and for the Typesense that the environment names. */
function serverSettings(database: string | undefined): Record<string, string> {
  const { TYPESENSE_URL: url, TYPESENSE_API_KEY: key } = process.env
  return {
    ...(database && { DATABASE_URL: database }),
    ...(url && key && { TYPESENSE_URL: url, TYPESENSE_API_KEY: key }),
  }
}
