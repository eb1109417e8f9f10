import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { readJournal } from '@daybook/journal/read/read'
import { readable } from '@daybook/journal/read/stored-event'
import { newId } from '@daybook/memory/id'
import { ensureProject } from '@daybook/postgres/access/projects'
import { openDatabase } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { pause } from '@daybook/runtime/backoff'
import { silentLogger } from '@daybook/runtime/logger'
import type { Bus } from '@daybook/transport/bus'
import { openJetStreamBus } from '@daybook/transport/jetstream/jetstream-bus'
import { startRelay } from '@daybook/transport/relay/relay'
import { type NativeNats, OWN_NATS, startNativeNats } from '@daybook/transport/testing/native-nats'
import { publishPlainly } from '@daybook/transport/testing/plain-publish-loop'
import { ownStream } from '@daybook/transport/testing/test-nats'
import { type BenchOptions, median, printComparison, seconds } from './bench.ts'
import { type BenchDatabase, onEachDatabase } from './databases.ts'

/**
 * The relay against a loop that publishes the same messages, prepared in memory, with as many in flight, each
 * acknowledged. The relay also reads the events from the journal, makes the messages, holds a lease and saves
 * its position.
 */
export const name = 'relay'
export const description =
  'events a second from the journal to JetStream, against a plain pipelined publish loop'

const EVENTS = 10_000
const ROUNDS = 5
const GOAL = 0.5
const METADATA = { actor: 'bench', correlationId: null, causationId: null }

/** Makes a project whose journal has the events, none of them published. */
async function projectWithEvents(db: ReturnType<typeof openDatabase>): Promise<ProjectScope> {
  const scope = projectScope(db, await ensureProject(db, `bench-${newId()}`))
  const writer = createJournalWriter(() => {})
  for (let from = 0; from < EVENTS; from += 500)
    await writer.appendMany(
      scope,
      Array.from({ length: 500 }, (_, index) => {
        const text = `What was decided on day ${from + index}: the index is written from the journal`
        const input = {
          content: { kind: 'note', fields: { text } },
          context: 'repository',
          labels: ['decision'],
        }
        return { command: { type: 'remember' as const, id: newId(), input }, metadata: METADATA }
      }),
    )
  return scope
}

/** Events per second, until the relay has saved that all events of this project are published. */
async function viaRelay(db: ReturnType<typeof openDatabase>, bus: Bus, scope: ProjectScope): Promise<number> {
  const spent = await seconds(async () => {
    const relay = startRelay({ db, bus, logger: silentLogger, historyMs: 3_600_000 })
    while ((await relay.published(scope)) < EVENTS) await pause(10)
    await relay.stop()
  })
  return EVENTS / spent
}

async function viaLoop(nats: NativeNats, scope: ProjectScope): Promise<number> {
  const records = await readJournal(scope, { after: 0, limit: EVENTS })
  return (
    EVENTS /
    (await publishPlainly(
      nats.url,
      records.map((record) => readable(record)),
    ))
  )
}

async function compare({ name: database, address }: BenchDatabase, rounds: number): Promise<void> {
  const nats = await startNativeNats()
  const bus = await openJetStreamBus({ url: nats.url, stream: ownStream(), logger: silentLogger })
  const db = openDatabase(address)
  const ours: number[] = []
  const theirs: number[] = []
  try {
    // The first round warms both sides up.
    for (let round = 0; round <= rounds; round += 1) {
      const scope = await projectWithEvents(db)
      const loop = await viaLoop(nats, scope)
      const relay = await viaRelay(db, bus, scope)
      if (round === 0) continue
      theirs.push(loop)
      ours.push(relay)
    }
  } finally {
    await bus.close()
    await db.destroy()
    await nats.stop()
  }
  const rate = (values: readonly number[]) =>
    `${median(values).toFixed(0)}/s (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`
  printComparison({
    title: `${database} and NATS JetStream: ${EVENTS} events of one project, median of ${rounds}`,
    ours: { label: 'Daybook: the relay, from the journal', value: rate(ours) },
    theirs: { label: 'publish loop, from memory', value: rate(theirs) },
    ratio: median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN))),
    goal: { atLeast: GOAL },
  })
}

export async function run({ rounds = ROUNDS }: BenchOptions): Promise<void> {
  if (OWN_NATS.problem !== null)
    console.log('not measured: there is no nats-server here (infra/debian/install)')
  else await onEachDatabase((database) => compare(database, rounds))
}
