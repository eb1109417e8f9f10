import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { newId } from '@daybook/memory/id'
import { ensureProject } from '@daybook/postgres/access/projects'
import { type Database, openDatabase, serverAddress } from '@daybook/postgres/connect'
import { migrate } from '@daybook/postgres/migrate'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { OWN_POSTGRES } from '@daybook/postgres/testing/native-binaries'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { pause } from '@daybook/runtime/backoff'
import { OWN_NATS, startNativeNats } from '@daybook/transport/testing/native-nats'
import { sql } from 'kysely'
import { createServiceProcess, type ServiceProcess } from '../src/chaos/service-process.ts'
import { createRandom } from '../src/support/random.ts'
import { type BenchOptions, median, printComparison, seconds } from './bench.ts'
import { createVocabulary, sentence } from './generated-texts.ts'

/**
 * Two processes that write the pgvector projection against one, on ten projects with the same number of
 * events. It measures words and rows only, because all projectors share one queue of vectors. The projectors
 * are paused while the events are written.
 */
export const name = 'two-projectors'
export const description = 'two pgvector projectors on ten projects, against one'

const PROJECTS = 10
const EVENTS_A_PROJECT = 400
const ROUNDS = 5
const GOAL = 1.6
const METADATA = { actor: 'bench', correlationId: null, causationId: null }

async function write(scope: ProjectScope, random: ReturnType<typeof createRandom>): Promise<void> {
  const word = createVocabulary(random, 5_000)
  const writer = createJournalWriter(() => {})
  for (let from = 0; from < EVENTS_A_PROJECT; from += 200)
    await writer.appendMany(
      scope,
      Array.from({ length: 200 }, () => ({
        command: {
          type: 'remember' as const,
          id: newId(),
          input: { content: { kind: 'note', fields: { text: sentence(random, word, 5, 40) } } },
        },
        metadata: METADATA,
      })),
    )
}

async function untilPosted(db: Database): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ lag: number }>`
      select coalesce(sum(head.sequence - coalesce(place.position, 0)), 0)::bigint as lag from journal_heads head
      left join positions place on place.project_id = head.project_id and place.projection = 'pgvector'`.execute(
      db,
    )
    if (rows[0]?.lag === 0) return
    await pause(5)
  }
}

/** Events per second that the projectors apply. */
async function throughput(
  db: Database,
  projectors: readonly ServiceProcess[],
  seed: number,
): Promise<number> {
  const goOn = projectors.map((projector) => projector.freeze())
  const random = createRandom(seed)
  for (let project = 0; project < PROJECTS; project += 1)
    await write(projectScope(db, await ensureProject(db, `bench-${newId()}`)), random)
  const spent = await seconds(async () => {
    for (const one of goOn) one()
    await untilPosted(db)
  })
  return (PROJECTS * EVENTS_A_PROJECT) / spent
}

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
  if (OWN_NATS.problem !== null || OWN_POSTGRES.problem !== null)
    return console.log('not measured: there is no native Postgres or NATS here, run infra/debian/install')
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
  const postgres = await startNativeServer()
  const nats = await startNativeNats()
  await migrate(serverAddress(postgres.url))
  const db = openDatabase(serverAddress(postgres.url))
  const environment = {
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    DAYBOOK_EMBEDDER: 'none',
    LOG_LEVEL: 'warn',
  }
  const [first, second] = ['one', 'two'].map((replica) =>
    createServiceProcess({ name: replica, service: 'projector-pgvector', folder, environment }),
  ) as [ServiceProcess, ServiceProcess]
  try {
    await first.start()
    await throughput(db, [first], 0)
    const [alone, both]: [number[], number[]] = [[], []]
    for (let round = 1; round <= rounds; round += 1) {
      alone.push(await throughput(db, [first], round))
      await second.start()
      both.push(await throughput(db, [first, second], round))
      await second.stop()
    }
    printComparison({
      title: `${PROJECTS} projects with ${EVENTS_A_PROJECT} events each, ${cpus().length} cores for the projectors and Postgres together, median of ${rounds}`,
      ours: { label: 'two projectors', value: `${median(both).toFixed(0)} events/s` },
      theirs: { label: 'one projector', value: `${median(alone).toFixed(0)} events/s` },
      ratio: median(both) / median(alone),
      goal: { atLeast: GOAL },
    })
  } finally {
    await Promise.all([first.stop(), second.stop()])
    await db.destroy()
    await Promise.all([postgres.stop(), nats.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
}
