import { isStatus } from '@daybook/memory/authors'
import type { EventType } from '@daybook/memory/events'
import { type MemoryState, memoryIdOf, titleOf } from '@daybook/memory/state'
import {
  covers,
  coversCause,
  namesStates,
  type UndoneEvent,
  type UndoSelection,
  undoTarget,
} from '@daybook/memory/undo'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type SqlBool, sql } from 'kysely'
import { readJournal } from '../read/read.ts'
import { EVENT_COLUMNS, type JournalRecord, type LinkedRecord, toRecord } from '../read/stored-event.ts'

/** Events read at a time. */
const PAGE = 500

/** An event since the moment, without its content. */
interface SeenEvent extends UndoneEvent {
  readonly actor: string | null
}

/** A memory with events since the moment. */
interface SeenMemory {
  readonly events: SeenEvent[]
  id: string | null
  title: string | null
  /** Why it cannot be undone, if an event of it has no data here; and whether the undo is about it. */
  blocked: { readonly code: UndoRefusal; readonly reason: string } | null
  wanted: boolean
  lastVersion: number
}

/** Called with how many of the events have been looked at. */
type OnLooked = (events: number) => Promise<void> | void

/** Whether a memory is not withheld from whoever asks. */
type IsShown = (state: MemoryState) => boolean

/**
 * What an undo would do, memory by memory in the order of the first event undone. Memories that are already as
 * they would be are left out. The same request always has the same plan, unless something was erased.
 *
 * It reads the journal after the moment once, in pages, and keeps a few numbers for each event.
 *
 * @param isShown whether who asks may read a memory's title. Default all
 */
export async function planUndo(
  scope: ProjectScope,
  request: UndoRequest,
  onLooked: OnLooked = () => {},
  isShown: IsShown = () => true,
): Promise<UndoItem[]> {
  const memories = await lookThrough(scope, request, onLooked, isShown)
  const planned = [...memories].flatMap(([memoryId, memory]) => {
    const item = itemOf(memoryId, memory)
    return item === null ? [] : [item]
  })
  return settle(scope, planned)
}

async function lookThrough(
  scope: ProjectScope,
  request: UndoRequest,
  onLooked: OnLooked,
  isShown: IsShown,
): Promise<Map<string, SeenMemory>> {
  const memories = new Map<string, SeenMemory>()
  for (let after = request.after; after < request.upTo; ) {
    const records = await readJournal(scope, { after, limit: Math.min(PAGE, request.upTo - after) })
    const last = records.at(-1)
    if (last === undefined) break
    const before = await statesBefore(scope, records)
    for (const record of records) look(request, memories, before, record, isShown)
    after = last.sequence
    await onLooked(after - request.after)
  }
  return memories
}

/** The states before the first events of a page, by memory. */
async function statesBefore(
  scope: ProjectScope,
  records: readonly LinkedRecord[],
): Promise<Map<string, MemoryState>> {
  const first = new Map<string, number>()
  for (const { memoryId, envelope } of records)
    if (!first.has(memoryId)) first.set(memoryId, envelope.version)
  const wanted = [...first].flatMap(([memoryId, version]) =>
    version > 1 ? [{ memoryId, version: version - 1 }] : [],
  )
  const found = await readVersions(scope, wanted)
  return new Map(
    wanted.flatMap(({ memoryId, version }) => {
      const record = found.get(versionName(memoryId, version))
      return record?.event == null ? [] : [[memoryId, record.event.data.state] as const]
    }),
  )
}

function look(
  request: UndoRequest,
  memories: Map<string, SeenMemory>,
  states: Map<string, MemoryState>,
  record: LinkedRecord,
  isShown: IsShown,
): void {
  const { memoryId, envelope } = record
  const memory = memories.get(memoryId) ?? {
    events: [],
    id: null,
    title: null,
    blocked: null,
    wanted: false,
    lastVersion: 0,
  }
  memories.set(memoryId, memory)
  memory.lastVersion = envelope.version
  if (record.event === null) {
    memory.blocked = blockOf(record)
    // Its context is not known any more, so only its author and request can tell.
    memory.wanted ||= coversCause(request, { ...envelope, writer: undefined }) && !namesStates(request.filter)
    return
  }
  const { data, type, version } = record.event
  const before = states.get(memoryId) ?? null
  const covered = covers(request, { ...envelope, writer: data.writer }, { before, after: data.state })
  states.set(memoryId, data.state)
  memory.wanted ||= covered
  memory.id = memoryIdOf(data.state)
  memory.title = isShown(data.state) ? titleOf(data.state) : null
  memory.events.push({
    version,
    type,
    covered,
    onlyStatus: data.changed.length > 0 && data.changed.every((name) => isStatus(data.state.kind, name)),
    undoneTo: data.undoneTo,
    actor: envelope.actor,
  })
}

function blockOf(record: JournalRecord): SeenMemory['blocked'] {
  return record.status === 'opaque' ? { code: 'UNREADABLE', reason: record.error.message } : ERASED
}

const ERASED = { code: 'ERASED', reason: 'Its content was erased for good' } as const

function itemOf(memoryId: string, memory: SeenMemory): UndoItem | null {
  const { events, id, title, blocked, wanted, lastVersion } = memory
  const item = { memoryId, id, title, fromVersion: lastVersion, toVersion: null, forgets: false }
  if (blocked !== null)
    return wanted ? { ...item, happened: typesOf(events.filter(isCovered)), refused: blocked } : null
  const target = undoTarget(events)
  if (target === null) return null
  const happened = typesOf(target.covered)
  if ('changedBy' in target) {
    const { version, actor } = target.changedBy
    const reason = `${actor ?? 'Daybook'} changed it since (version ${version}), which this undo does not cover`
    return { ...item, happened, refused: { code: 'CHANGED_SINCE', reason } }
  }
  return { ...item, happened, toVersion: target.toVersion, refused: null }
}

const isCovered = ({ covered }: SeenEvent) => covered

const typesOf = (events: readonly SeenEvent[]): EventType[] => events.map(({ type }) => type)

/**
 * Leaves out what an earlier undo, or somebody by hand, brought back already, and says of the others whether the
 * memory is forgotten afterwards.
 */
async function settle(scope: ProjectScope, items: readonly UndoItem[]): Promise<UndoItem[]> {
  const settled: UndoItem[] = []
  for (let from = 0; from < items.length; from += PAGE) {
    const page = items.slice(from, from + PAGE)
    const compared = await compareVersions(scope, page)
    for (const item of page) {
      const { equal, forgotten, erased } = compared.get(item.memoryId) ?? {}
      if (item.refused !== null) settled.push(item)
      else if (erased === true) settled.push({ ...item, toVersion: null, refused: ERASED })
      else if (equal !== true) settled.push({ ...item, forgets: forgotten === true })
    }
  }
  return settled
}

/** The key of `readVersions`' answer. */
const versionName = (memoryId: string, version: number) => `${memoryId}/${version}`

/** The events that made these versions of memories, by `versionName`. */
async function readVersions(
  { db, projectId }: ProjectScope,
  wanted: readonly { readonly memoryId: string; readonly version: number }[],
): Promise<Map<string, JournalRecord>> {
  if (wanted.length === 0) return new Map()
  const ids = wanted.map(({ memoryId }) => memoryId)
  const versions = wanted.map(({ version }) => version)
  const rows = await db
    .selectFrom('events')
    .select(EVENT_COLUMNS)
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`(memory_id, version) in (select * from unnest(${ids}::uuid[], ${versions}::int[]))`)
    .execute()
  return new Map(rows.map((row) => [versionName(row.memory_id, row.version), toRecord(row)]))
}

/** The version that a memory goes back to, beside the one that it has. */
interface ComparedVersions {
  /** Whether both have the same state, so that nothing is to be done. */
  readonly equal: boolean
  /** Whether the earlier one is forgotten, or does not exist. */
  readonly forgotten: boolean
  readonly erased: boolean
}

/** Compares for each item that is not refused, by memory. */
async function compareVersions(
  { db, projectId }: ProjectScope,
  items: readonly UndoItem[],
): Promise<Map<string, ComparedVersions>> {
  const planned = items.filter(({ toVersion }) => toVersion !== null)
  if (planned.length === 0) return new Map()
  const ids = planned.map(({ memoryId }) => memoryId)
  const now = planned.map(({ fromVersion }) => fromVersion)
  const back = planned.map(({ toVersion }) => toVersion)
  const { rows } = await sql<ComparedVersions & { readonly memory_id: string }>`
    select given.memory_id, given.back > 0 and earlier.data is null as erased,
      given.back = 0 or earlier.data->'state'->>'forgottenAt' is not null as forgotten,
      coalesce(case when given.back = 0 then newest.data->'state'->>'forgottenAt' is not null
        else (newest.data->'state') - 'updatedAt' = (earlier.data->'state') - 'updatedAt' end, false) as equal
    from unnest(${ids}::uuid[], ${now}::int[], ${back}::int[]) as given(memory_id, now, back)
    join events newest on newest.project_id = ${projectId} and newest.memory_id = given.memory_id
      and newest.version = given.now
    left join events earlier on earlier.project_id = ${projectId} and earlier.memory_id = given.memory_id
      and earlier.version = given.back`.execute(db)
  return new Map(rows.map((row) => [row.memory_id, row]))
}

/** What is asked for: whose events, of which part of a project's journal. */
interface UndoRequest extends UndoSelection {
  /** The last sequence before the moment; 0: everything is undone. */
  readonly after: number
  /** The journal's end when the undo was asked for. What comes later is not undone. */
  readonly upTo: number
}

/** Why a memory is not undone. */
type UndoRefusal =
  /** Somebody changed it after what would be undone. */
  | 'CHANGED_SINCE'
  /** Its content was erased for good. */
  | 'ERASED'
  /** A newer Daybook wrote an event of it, or the event is damaged. */
  | 'UNREADABLE'

/** What an undo does with one memory. */
export interface UndoItem {
  /** The plain UUID. */
  readonly memoryId: string
  /** The id as clients see it, and the title; null if the memory is not readable, the title also if it is withheld. */
  readonly id: string | null
  readonly title: string | null
  /** The types of the events that are undone, oldest first. */
  readonly happened: readonly string[]
  /** The memory's version that the plan is based on. */
  readonly fromVersion: number
  /** The version whose state comes back; 0: there was none, so it is forgotten; null if it is refused. */
  readonly toVersion: number | null
  /** Whether it is out of the indexes afterwards. */
  readonly forgets: boolean
  /** Null unless it is refused. */
  readonly refused: { readonly code: UndoRefusal; readonly reason: string } | null
}
