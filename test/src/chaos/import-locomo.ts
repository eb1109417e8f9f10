import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, serverAddress } from '@daybook/postgres/connect'
import { pause } from '@daybook/runtime/backoff'
import { sql } from 'kysely'
import { defaultProject } from '../crash/check-database.ts'
import { readConversations, toRememberInputs } from '../locomo/conversations.ts'
import { REPOSITORY } from '../support/daemon.ts'
import { dataOf } from '../support/graphql.ts'
import { createRandom, type Random } from '../support/random.ts'
import { checkIndexes } from './check-indexes.ts'
import { type Cluster, startCluster } from './cluster.ts'

/** The result of an import. */
export interface LocomoImport {
  readonly memories: number
  readonly kills: number
  readonly distinctTexts: number
  /** Texts with vectors in the store; its primary key allows each only once. */
  readonly embeddedTexts: number
  /**
   * How often a text was taken from the queue; more than the texts if a process died while it embedded some.
   */
  readonly taken: number
  readonly differences: readonly string[]
}

/**
 * Imports the conversations with `daybook import`, half through each gateway at once, while gateways and
 * projectors are killed and restarted. If an import's gateway dies, the import is run again, as a user would.
 * When everything has settled, with vectors, both projections are compared with the journal.
 */
export async function importLocomo(
  data: string,
  seed: number,
  report: (line: string) => void,
): Promise<LocomoImport> {
  const random = createRandom(seed)
  const inputs = readConversations(data).flatMap((conversation) => [...toRememberInputs(conversation)])
  const cluster = await startCluster({ embedder: 'minilm', embedderOf: 'some' })
  const differences: string[] = []
  try {
    const halves = [inputs.slice(0, inputs.length / 2), inputs.slice(inputs.length / 2)]
    const importing = { done: false }
    const killing = killAtRandom(cluster, random, importing, report)
    await Promise.all(halves.map((half, index) => importHalf(cluster, `gateway-${index + 1}`, half)))
    importing.done = true
    const kills = await killing
    report(`imported, after ${kills} kills; waiting for the vectors`)
    await untilSettled(cluster, report)
    const db = openDatabase(serverAddress(cluster.postgres.url))
    try {
      const scope = await defaultProject(db)
      differences.push(...(await checkIndexes(cluster, scope)))
      const { rows } = await sql<{ texts: number; embedded: number; taken: number; memories: number }>`
        select count(*) as texts, count(embedded_at) as embedded, sum(attempts)::bigint as taken,
          (select count(distinct memory_id) from events where project_id = ${scope.projectId}) as memories
        from embeddings`.execute(db)
      const { texts = 0, embedded = 0, taken = 0, memories = 0 } = rows[0] ?? {}
      if (memories !== inputs.length)
        differences.push(`${memories} memories of ${inputs.length} are in the journal`)
      if (embedded !== texts) differences.push(`${embedded} of ${texts} texts have vectors`)
      return { memories, kills, distinctTexts: texts, embeddedTexts: embedded, taken, differences }
    } finally {
      await db.destroy()
    }
  } finally {
    await cluster.stop({ keepFolder: differences.length > 0 })
  }
}

/** The fewest kills. The import may be over after some seconds; the vectors take longer. */
const LEAST_KILLS = 10

/** The exit code of `daybook` if no daemon answers. */
const UNREACHABLE = 3

/** Runs `daybook import` until everything is imported. */
async function importHalf(cluster: Cluster, gateway: string, inputs: readonly object[]): Promise<void> {
  const file = join(cluster.folder, `${gateway}.jsonl`)
  writeFileSync(file, inputs.map((input) => JSON.stringify(input)).join('\n'))
  const service = cluster.services.find((one) => one.name === gateway)
  for (;;) {
    const url = service?.url() ?? null
    const code = url === null ? UNREACHABLE : await runImport(file, url, cluster.apiKey)
    if (code === 0) return
    if (code !== UNREACHABLE) throw new Error(`the import through ${gateway} ended with ${code}`)
    await pause(200)
  }
}

function runImport(file: string, url: string, apiKey: string): Promise<number | null> {
  const child = spawn(process.execPath, ['services/cli/bin/daybook.mjs', 'import', file], {
    cwd: REPOSITORY,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, DAYBOOK_URL: url, DAYBOOK_API_KEY: apiKey },
  })
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)))
}

async function killAtRandom(
  { services }: Cluster,
  random: Random,
  importing: { readonly done: boolean },
  report: (line: string) => void,
): Promise<number> {
  let kills = 0
  for (; !importing.done || kills < LEAST_KILLS; kills += 1) {
    await pause(random.between(1_500, 5_000))
    const victim = random.oneOf(services)
    report(`kill -9 of ${victim.name}`)
    await victim.kill()
    await pause(random.between(0, 500))
    await victim.start()
  }
  return kills
}

interface Status {
  readonly name: string
  readonly lag: number
  readonly pendingEmbeddings: number
}

async function untilSettled({ api }: Cluster, report: (line: string) => void): Promise<void> {
  const query = '{ projections { name lag pendingEmbeddings } }'
  for (let said = 0; ; await pause(250)) {
    const { projections } = dataOf(await api.graphql<{ projections: Status[] }>({ query }))
    if (projections.every((one) => one.lag === 0 && one.pendingEmbeddings === 0)) return
    if (Date.now() - said < 10_000) continue
    said = Date.now()
    report(
      projections.map((one) => `${one.name}: ${one.lag} behind, ${one.pendingEmbeddings} wait`).join('; '),
    )
  }
}
