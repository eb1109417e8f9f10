import { readHead, readJournal } from '@daybook/journal/read/read'
import { readable } from '@daybook/journal/read/stored-event'
import type { JournalEvent } from '@daybook/memory/events'
import { fold } from '@daybook/memory/events'
import { memoryIdOf, textOf } from '@daybook/memory/state'
import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import { liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { checkReadModel } from '@daybook/pgvector/testing/check-read-model'
import { CLOCK_TOLERANCE_MS } from '@daybook/postgres/clock'
import { type Database, openDatabase } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { startBundledDatabase } from '@daybook/postgres/testing/start-bundled'
import { readPosition } from '@daybook/projection/positions/positions'
import { silentLogger } from '@daybook/runtime/logger'
import { describe, type Shown } from './check-api.ts'
import type { Ledger } from './ledger.ts'

/**
 * Opens the stopped daemon's database and compares it with everything that clients know.
 * @returns every difference in words
 */
export async function checkDatabase(dataDir: string, ledger: Ledger, shown: Shown): Promise<string[]> {
  const embedded = await startBundledDatabase(dataDir, silentLogger)
  const db = openDatabase(embedded.address)
  try {
    return await checkProject(await defaultProject(db), ledger, shown)
  } finally {
    await db.destroy()
    await embedded.stop()
  }
}

/** Finds the project that a first start makes. */
export async function defaultProject(db: Database): Promise<ProjectScope> {
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('name', '=', 'default')
    .executeTakeFirstOrThrow()
  return projectScope(db, project.id)
}

/**
 * Compares a project's journal and Postgres read model with everything that clients know. It notes the event
 * ids in the ledger, for the next check.
 */
export async function checkProject(scope: ProjectScope, ledger: Ledger, shown: Shown): Promise<string[]> {
  const events = await readAll(scope)
  const differences = [
    ...checkOrder(events, await readHead(scope)),
    ...checkPast(events, ledger),
    ...checkAcknowledged(events, ledger),
    ...checkRequests(events, ledger),
    ...(await checkKeys(scope, events, ledger)),
    ...checkShown(events, shown),
    ...(await checkIndex(scope, events)),
  ]
  ledger.eventIds = events.map((event) => event.eventId)
  return differences
}

async function readAll(scope: ProjectScope): Promise<JournalEvent[]> {
  const events: JournalEvent[] = []
  for (;;) {
    const page = await readJournal(scope, { after: events.at(-1)?.sequence ?? 0, limit: 1_000 })
    if (page.length === 0) return events
    events.push(...page.map(readable))
  }
}

/**
 * Checks that sequences run from 1 to head, each memory's versions from 1 to n, and that times go back only
 * after a wrong clock.
 */
function checkOrder(events: readonly JournalEvent[], head: number): string[] {
  const differences: string[] = []
  const versions = new Map<string, number>()
  let before: JournalEvent | undefined
  for (const event of events) {
    const expected = (before?.sequence ?? 0) + 1
    if (event.sequence !== expected) differences.push(`sequence ${expected} is followed by ${event.sequence}`)
    const backMs = before === undefined ? 0 : Date.parse(before.recordedAt) - Date.parse(event.recordedAt)
    if (backMs > 0 && backMs <= CLOCK_TOLERANCE_MS)
      differences.push(`sequence ${event.sequence} was recorded before the one before it`)
    const version = (versions.get(event.memoryId) ?? 0) + 1
    if (event.version !== version)
      differences.push(
        `${event.memoryId} has version ${event.version} (sequence ${event.sequence}) where ${version} is next`,
      )
    versions.set(event.memoryId, event.version)
    before = event
  }
  if ((before?.sequence ?? 0) !== head)
    differences.push(`the journal's last event is ${before?.sequence}, its head says ${head}`)
  return differences
}

/** Checks that events seen by an earlier check are unchanged. */
function checkPast(events: readonly JournalEvent[], { eventIds }: Ledger): string[] {
  const changed = eventIds.findIndex((id, index) => events[index]?.eventId !== id)
  return changed === -1
    ? []
    : [
        `sequence ${changed + 1} was event ${eventIds[changed]} in the check before, now it is ${events[changed]?.eventId}`,
      ]
}

function checkAcknowledged(events: readonly JournalEvent[], { acknowledgements }: Ledger): string[] {
  return acknowledgements.flatMap((one) => {
    const event = events[one.sequence - 1]
    if (event === undefined)
      return [`acknowledged ${describe(one)}, but the journal ends at ${events.length}`]
    const { state } = event.data
    const same =
      memoryIdOf(state) === one.memoryId &&
      event.version === one.version &&
      textOf(state) === one.text &&
      (state.forgottenAt !== null) === one.forgotten
    return same
      ? []
      : [
          `acknowledged ${describe(one)}, but the journal has ${memoryIdOf(state)} version ${event.version} "${textOf(state).slice(0, 80)}"`,
        ]
  })
}

/** Checks that a request has at most one event, a refused one has none, and every event has a request. */
function checkRequests(events: readonly JournalEvent[], { requests }: Ledger): string[] {
  const differences: string[] = []
  const written = new Map<string, number>()
  for (const event of events) {
    if (event.type !== 'MemoryRemembered' && event.type !== 'MemoryRevised') continue
    const mark = String(event.data.state.metadata.mark)
    const request = requests.get(mark)
    const first = written.get(mark)
    if (request === undefined)
      differences.push(`sequence ${event.sequence} is of the request ${mark}, which was never sent`)
    else if (request.outcome === 'refused')
      differences.push(`the request ${mark} was refused, and is in the journal as sequence ${event.sequence}`)
    if (first !== undefined)
      differences.push(
        `the request ${mark} (key ${request?.idempotencyKey}) is in the journal twice: ${first} and ${event.sequence}`,
      )
    written.set(mark, event.sequence)
  }
  for (const { mark, outcome } of requests.values())
    if (outcome === 'acknowledged' && !written.has(mark))
      differences.push(`the request ${mark} was acknowledged, and no event is of it`)
  return differences
}

/** Checks that each acknowledged key leads to its acknowledged event, and no key to a missing event. */
async function checkKeys(
  { db, projectId }: ProjectScope,
  events: readonly JournalEvent[],
  { acknowledgements }: Ledger,
): Promise<string[]> {
  const rows = await db
    .selectFrom('idempotency_keys')
    .select(['idempotency_key', 'memory_id', 'version'])
    .where('project_id', '=', projectId)
    .execute()
  const uses = new Map(rows.map((row) => [row.idempotency_key, `${row.memory_id}/${row.version}`]))
  const places = new Set(events.map((event) => `${event.memoryId}/${event.version}`))
  const dangling = [...uses].filter(([, place]) => !places.has(place))
  const wrong = acknowledgements.filter(
    ({ idempotencyKey, memoryId, version }) =>
      idempotencyKey !== null &&
      uses.get(idempotencyKey) !== `${memoryId.slice(memoryId.indexOf(':') + 1)}/${version}`,
  )
  return [
    ...dangling.map(([key, place]) => `the key ${key} leads to ${place}, which is not in the journal`),
    ...wrong.map(
      (one) => `acknowledged ${describe(one)}, but its key leads to ${uses.get(one.idempotencyKey ?? '')}`,
    ),
  ]
}

/** Checks that what the API returned at the end is the fold of the journal. */
function checkShown(events: readonly JournalEvent[], { head, memories }: Shown): string[] {
  const folded = fold(events)
  const differences =
    head === events.length ? [] : [`the API said head ${head}, the journal ends at ${events.length}`]
  for (const shown of memories) {
    const memory = folded.get(shown.id.slice(shown.id.indexOf(':') + 1))
    const wanted = memory && [memory.version, memory.sequence, textOf(memory.state), memory.state.forgottenAt]
    const is = [shown.version, shown.sequence, shown.text, shown.forgottenAt]
    if (JSON.stringify(is) !== JSON.stringify(wanted))
      differences.push(
        `the API showed ${shown.id} as ${JSON.stringify(is)}, the journal says ${JSON.stringify(wanted)}`,
      )
  }
  return differences
}

async function checkIndex(scope: ProjectScope, events: readonly JournalEvent[]): Promise<string[]> {
  const readModel = await liveReadModel(scope.db)
  const place = { name: PGVECTOR, generation: readModel.generation.generation }
  const position = await readPosition(scope.db, place, scope.projectId)
  const differences = (await checkReadModel(scope, readModel)).map(
    (difference) => `read model: ${difference}`,
  )
  return position === events.length
    ? differences
    : [...differences, `the projection had caught up, and its position is ${position} of ${events.length}`]
}
