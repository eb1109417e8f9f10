import { type FirstEvent, readFirstEvents } from '@daybook/journal/append/decide-batch'
import { JournalDiverged } from '@daybook/journal/chain/check-chain'
import { readHash } from '@daybook/journal/chain/read-chain'
import { type JournalRecord, toRecord } from '@daybook/journal/read/stored-event'
import { UnavailableError } from '@daybook/memory/errors'
import type { JournalCursor, JournalEvent } from '@daybook/memory/events'
import { isDatabaseUnavailable, isRelationMissing } from '@daybook/postgres/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { reasonOf } from '@daybook/runtime/reason-of'
import { createPace, forEachAtOnce } from '@daybook/runtime/timers'
import { sql } from 'kysely'
import { isNotErased } from '../apply/applied-memories.ts'
import type { ParkedEvent } from '../projection.ts'
import { FencedOffError } from './fence.ts'

/*
 * Fills a generation from a project's journal, memory by memory instead of event by event. A memory's newest
 * event holds its whole state, so memories can be loaded in any order and in parallel.
 *
 *   journal ──first events──▶ pages of memories ──their events──▶ batches ──▶ the generation
 *
 * Pages are loaded one after another, so that one number tells how far a load has come. The batches of a page
 * are loaded in parallel.
 */

/** How far a load has come: where the next page begins. */
export interface LoadCursor {
  /** The sequence of the first event of the last loaded memory. */
  readonly after: number
  /** The number of memories loaded. */
  readonly memories: number
}

/** The cursor at which a load starts. */
export const LOAD_BEGINNING: LoadCursor = { after: 0, memories: 0 }

/** What to load, and where to. */
interface LoadOptions {
  readonly target: LoadTarget
  /** The last event to load. */
  readonly head: JournalCursor
  readonly from: LoadCursor
  /** Batches loaded at the same time. */
  readonly parallel: number
  readonly signal: AbortSignal
  /** Called between two pages. If it throws, the load ends. */
  readonly onPage: (place: LoadCursor) => Promise<void>
}

/** Memories of a page: as many as the lexical index keeps together (`@daybook/lexical-index/postings`). */
export const MEMORIES_PER_PAGE = 4_096

/** Memories whose events are read together. */
const MEMORIES_PER_READ = 250

/** Events read in one statement. */
const EVENTS_PER_READ = 1_000

/**
 * Events of a batch. The embedded database takes about 50 ms for such a statement, and everybody else waits
 * meanwhile.
 */
const EVENTS_PER_BATCH = 500

/**
 * Loads one project into a generation, from a load cursor to the end of `head`.
 * @returns the number of memories loaded in all
 * @throws JournalDiverged if the journal lost its end meanwhile: the generation may hold events that the
 *   journal does not have
 */
export async function loadProject(scope: ProjectScope, options: LoadOptions): Promise<number> {
  const { target, head, parallel, signal, onPage } = options
  const pace = createPace()
  let place = options.from
  for (;;) {
    signal.throwIfAborted()
    const number = place.memories + 1
    const limit = MEMORIES_PER_PAGE - (place.memories % MEMORIES_PER_PAGE)
    const page = await readFirstEvents(scope, { after: place.after, upTo: head.sequence, limit })
    const last = page.at(-1)
    if (last === undefined) break
    await forEachAtOnce(readBatches(scope, head.sequence, page, number), parallel, async (batch) => {
      signal.throwIfAborted()
      await pace.step(batch.events.length, () => loadOrPark(scope, options, batch), signal)
    })
    await target.endPage(scope, number, place.memories + page.length)
    place = { after: last.sequence, memories: place.memories + page.length }
    if (page.length < limit) break
    await onPage(place)
  }
  if ((await readHash(scope, head.sequence)) !== head.hash) throw new JournalDiverged(head)
  await target.endProject(scope, { head, memories: place.memories })
  return place.memories
}

/** A batch that is being put together. */
interface OpenBatch {
  readonly before: JournalEvent | null
  readonly memories: LoadedMemory[]
  readonly events: JournalEvent[]
  readonly parked: ParkedEvent[]
}

const openBatch = (before: JournalEvent | null = null): OpenBatch => ({
  before,
  memories: [],
  events: [],
  parked: [],
})

/**
 * Cuts a page's events into batches. Only a few batches are in memory at a time, however many versions a
 * memory has.
 */
async function* readBatches(
  scope: ProjectScope,
  head: number,
  page: readonly FirstEvent[],
  firstNumber: number,
): AsyncGenerator<LoadBatch> {
  for (let from = 0; from < page.length; from += MEMORIES_PER_READ) {
    const part = page.slice(from, from + MEMORIES_PER_READ)
    const places = new Map(
      part.map((one, index) => [
        one.memory_id,
        { number: firstNumber + from + index, firstSequence: one.sequence },
      ]),
    )
    let batch = openBatch()
    let newest: JournalEvent | null = null
    let blocked: string | null = null
    const endMemory = (event: JournalEvent | null) => {
      const place = event === null ? undefined : places.get(event.memoryId)
      if (event !== null && place !== undefined) batch.memories.push({ ...place, newest: event })
    }
    for await (const record of eventsOf(scope, [...places.keys()], head)) {
      const { sequence, memoryId } = record
      if (newest !== null && newest.memoryId !== memoryId) {
        endMemory(newest)
        newest = null
      }
      if (batch.events.length >= EVENTS_PER_BATCH) {
        yield batch
        batch = openBatch(newest)
      }
      // Like the projector: a newer event must not overtake one that may still be retried.
      if (record.status === 'erased') continue
      if (blocked === memoryId)
        batch.parked.push({
          sequence,
          memoryId,
          error: 'an earlier event of this memory is parked',
          attempts: 0,
        })
      else if (record.status === 'opaque') {
        blocked = memoryId
        batch.parked.push({ sequence, memoryId, error: record.error.message, attempts: 1, unreadable: true })
      } else {
        newest = record.event
        batch.events.push(record.event)
      }
    }
    endMemory(newest)
    yield batch
  }
}

/**
 * The memories' events up to `head`, ordered by memory and version, without erased events and those before
 * them.
 */
async function* eventsOf(
  { db, projectId }: ProjectScope,
  memoryIds: readonly string[],
  head: number,
): AsyncGenerator<JournalRecord> {
  for (let after = { memory_id: '00000000-0000-0000-0000-000000000000', version: 0 }; ; ) {
    const rows = await db
      .selectFrom('events as e')
      .selectAll()
      .where('project_id', '=', projectId)
      .where(sql<boolean>`memory_id = any(${memoryIds}::uuid[])`)
      .where(sql<boolean>`(memory_id, version) > (${after.memory_id}::uuid, ${after.version}::int)`)
      .where('sequence', '<=', head)
      .where(isNotErased(head))
      .orderBy('memory_id')
      .orderBy('version')
      .limit(EVENTS_PER_READ)
      .execute()
    yield* rows.map(toRecord)
    const last = rows.at(-1)
    if (last === undefined || rows.length < EVENTS_PER_READ) return
    after = last
  }
}

/**
 * Loads a batch. If an event cannot be applied, the events of its memory are parked and the rest is loaded.
 */
async function loadOrPark(
  scope: ProjectScope,
  { target }: Pick<LoadOptions, 'target'>,
  batch: LoadBatch,
): Promise<void> {
  try {
    await target.load(scope, batch)
  } catch (error) {
    if (
      error instanceof FencedOffError ||
      error instanceof UnavailableError ||
      isRelationMissing(error) ||
      isDatabaseUnavailable(error)
    )
      throw error
    const ids = new Set([...batch.events, ...batch.parked].map(({ memoryId }) => memoryId))
    if (ids.size > 1) for (const id of ids) await loadOrPark(scope, { target }, ofMemory(batch, id))
    else if (batch.events.length === 0) throw error
    else
      await target.load(scope, {
        before: null,
        memories: [],
        events: [],
        parked: [...parkedFor(batch, error), ...batch.parked],
      })
  }
}

function ofMemory({ before, memories, events, parked }: LoadBatch, id: string): LoadBatch {
  return {
    before: before?.memoryId === id ? before : null,
    memories: memories.filter(({ newest }) => newest.memoryId === id),
    events: events.filter(({ memoryId }) => memoryId === id),
    parked: parked.filter(({ memoryId }) => memoryId === id),
  }
}

const parkedFor = ({ events }: LoadBatch, error: unknown): ParkedEvent[] =>
  events.map(({ sequence, memoryId }) => ({
    sequence,
    memoryId,
    error: reasonOf(error),
    attempts: 1,
  }))

/** A memory as a rebuild loads it: as of the head that is loaded up to. */
interface LoadedMemory {
  /** 1, 2, 3, … in the order of the memories' first events in the project. */
  readonly number: number
  /** The sequence of the memory's first event. */
  readonly firstSequence: number
  readonly newest: JournalEvent
}

/**
 * Some memories of a project with their events. A memory appears in one batch; its events may be spread over
 * several.
 */
interface LoadBatch {
  /** The event before the first of `events` if that is of the same memory; it was in the batch before. */
  readonly before: JournalEvent | null
  readonly memories: readonly LoadedMemory[]
  /** Each memory's events in the order of its versions. */
  readonly events: readonly JournalEvent[]
  /** Events that cannot be loaded and are to be parked. */
  readonly parked: readonly ParkedEvent[]
}

/**
 * A generation that is being built, as the loader fills it. After a crash every call may be repeated with the
 * same content. Calls for one project may run at the same time.
 */
export interface LoadTarget {
  load(scope: ProjectScope, batch: LoadBatch): Promise<void>
  /** All memories from number `first` to number `last`, both included, have been loaded. */
  endPage(scope: ProjectScope, first: number, last: number): Promise<void>
  /** Everything up to `head`, `memories` in all, has been loaded. From now on the position is `head`. */
  endProject(
    scope: ProjectScope,
    loaded: { readonly head: JournalCursor; readonly memories: number },
  ): Promise<void>
}
