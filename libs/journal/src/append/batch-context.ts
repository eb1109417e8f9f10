import type { Command } from '@daybook/memory/commands'
import { partsOf } from '@daybook/memory/documents/following-parts'
import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import { identityKeyOfInput, partKey } from '@daybook/memory/existing/on-existing'
import { parseMemoryId } from '@daybook/memory/id'
import { isKindName, kindNamed } from '@daybook/memory/kinds/index'
import { ProjectDeletedError, readDeleted } from '@daybook/postgres/access/delete-project'
import { isAheadOfClock } from '@daybook/postgres/clock'
import { writerProblem } from '@daybook/postgres/compatibility'
import type { DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import { type SqlBool, sql } from 'kysely'
import { EVENT_COLUMNS, type JournalRecord, toRecord } from '../read/stored-event.ts'
import { type AppendRequest, FollowedError, type RecordedMemory } from './append-request.ts'
import { CLOCK_WHEN_ASKED } from './known-head.ts'

/** A use of an idempotency key: its request, and the version of the memory that resulted. */
export interface KeyUse {
  /** Null if the resulting event was erased. */
  readonly hash: Buffer | null
  readonly memoryId: string
  readonly version: number
}

/**
 * A memory as the journal has it; null if it was erased; or the error that keeps its event from being read.
 * Such an error fails the requests about this memory, not the whole batch.
 */
type MemoryLookup = RecordedMemory | Error | null

/**
 * What the decisions of a batch depend on, read under the project's lock. Each decision adds its event's
 * result.
 */
export interface BatchContext {
  /** Newest state by memory id: of the commands' memories, and of those behind reused idempotency keys. */
  readonly memories: Map<string, MemoryLookup>
  /** Older states by `versionKey`, for restores and for results to repeat. */
  readonly versions: Map<string, MemoryLookup>
  readonly keyUses: Map<string, KeyUse>
  /** Ids of the memories that have or had an identity key, by key; the newest first. */
  readonly byIdentity: Map<string, string[]>
  /**
   * The texts of a document's further parts at a version that a restore brings back, by `versionKey`; those that
   * cannot be read are missing.
   */
  readonly partTexts: Map<string, readonly (string | undefined)[]>
}

/** A context of requests that depend on nothing. */
export const emptyContext = (): BatchContext => ({
  memories: new Map(),
  versions: new Map(),
  keyUses: new Map(),
  byIdentity: new Map(),
  partTexts: new Map(),
})

/** The key of `BatchContext.versions`. */
export const versionKey = (memoryId: string, version: number) => `${memoryId}/${version}`

/**
 * The memory; null if there is none or it was erased.
 * @throws the error that keeps its event from being read
 */
export function readableMemory(found: MemoryLookup | undefined): RecordedMemory | null {
  if (found instanceof Error) throw found
  return found ?? null
}

function toFound(record: JournalRecord): MemoryLookup {
  switch (record.status) {
    case 'readable': {
      const { data, version, sequence, hash } = record.event
      return { state: data.state, version, sequence, hash }
    }
    case 'opaque':
      return record.error
    case 'erased':
      return null
  }
}

/**
 * Reads what the requests need, in few statements for any number of requests. Call it under the project's
 * lock; or before it, if the commit fails where the journal has moved since.
 */
export async function readContext(
  db: Queryable,
  projectId: string,
  requests: readonly AppendRequest[],
): Promise<BatchContext> {
  const keyUses = await readKeyUses(db, projectId, requests)
  const commands = requests.map((request) => request.command)
  const uses = [...keyUses.values()].map((use) => [use.memoryId, use.version] as const)
  const byIdentity = await readIdentities(db, projectId, commands.flatMap(identitiesOf))
  const ids = new Set([
    ...requests.filter(dependsOnItsId).map(({ command }) => command.id),
    ...commands.flatMap((command) => supersededBy(command) ?? []),
    ...uses.map(([memoryId]) => memoryId),
    ...[...byIdentity.values()].flat(),
  ])
  const context = {
    memories: await readNewest(db, projectId, [...ids]),
    versions: await readVersions(db, projectId, [...commands.flatMap(restoredVersion), ...uses]),
    keyUses,
    byIdentity,
    partTexts: new Map(),
  }
  await addParts(db, projectId, context)
  for (const [memoryId, version] of commands.flatMap(restoredVersion))
    await addPartTexts(db, projectId, context, versionKey(memoryId, version))
  return context
}

/** Whether a new memory depends on others: on one that is the same thing, that it supersedes, or that has its id. */
export const dependsOnOthers = (request: AppendRequest): boolean =>
  identitiesOf(request.command).length > 0 ||
  supersededBy(request.command) !== null ||
  dependsOnItsId(request)

/** New memories get ids that are nobody's; but another Daybook may send any, and a branch keeps them for long. */
const dependsOnItsId = ({ command, onlyAtHome, given }: AppendRequest): boolean =>
  command.type !== 'remember' || onlyAtHome === true || given !== undefined

/** The identity of a new memory, if one that exists matters. */
function identitiesOf(command: Command): string[] {
  if (command.type !== 'remember') return []
  const { content, context, onExisting } = command.input
  const key = identityKeyOfInput(content, context)
  if (key === null || !isKindName(content.kind)) return []
  const { identity } = kindNamed(content.kind)
  const keepsBoth = (onExisting ?? identity?.onExisting) === 'KEEP_BOTH' && identity?.within !== 'project'
  return keepsBoth ? [] : [key]
}

/** The plain id of the memory that a command says is superseded; null if it says none, or not an id. */
export function supersededBy(command: Command): string | null {
  const id = 'input' in command ? command.input.supersedes : null
  return typeof id === 'string' ? (parseMemoryId(id)?.uuid ?? null) : null
}

/** Adds the further parts of the documents among the memories, and their texts at restored versions. */
async function addParts(db: Queryable, projectId: string, context: BatchContext): Promise<void> {
  const documents = [...context.memories.values(), ...context.versions.values()].flatMap((found) =>
    found === null || found instanceof Error ? [] : [found.state],
  )
  const keys = documents.flatMap((state) =>
    Array.from({ length: partsOf(state) - 1 }, (_, index) => partKey(state.id, index + 2)),
  )
  if (keys.length === 0) return
  const found = await readIdentities(db, projectId, [...new Set(keys)])
  for (const [key, ids] of found) context.byIdentity.set(key, ids)
  const ids = [...found.values()].flat().filter((id) => !context.memories.has(id))
  for (const [id, memory] of await readNewest(db, projectId, ids)) context.memories.set(id, memory)
}

/**
 * Adds the texts that a document's parts had at a version. The events of the parts stand before the document's
 * own event in the journal, so they are the newest up to it.
 */
async function addPartTexts(
  db: Queryable,
  projectId: string,
  { versions, byIdentity, partTexts }: BatchContext,
  restored: string,
): Promise<void> {
  const document = versions.get(restored)
  if (document == null || document instanceof Error || partsOf(document.state) === 1) return
  const numbers = Array.from({ length: partsOf(document.state) - 1 }, (_, index) => index + 2)
  const ids = numbers.flatMap((number) => byIdentity.get(partKey(document.state.id, number)) ?? [])
  const parts = await readNewest(db, projectId, ids, document.sequence)
  const texts = [...parts.values()].flatMap((part) =>
    part === null || part instanceof Error
      ? []
      : [[part.state.part?.number, part.state.content['content']] as const],
  )
  const textOf = new Map(texts)
  partTexts.set(
    restored,
    numbers.map((number) => textOf.get(number) as string | undefined),
  )
}

/** The most memories with one identity that are considered, the newest first. More are hardly ever the case. */
const MOST_ALIKE = 100

/** The memories that have or had these identities, by identity, those that got it last first. */
async function readIdentities(db: Queryable, projectId: string, keys: readonly string[]) {
  const byIdentity = new Map<string, string[]>()
  if (keys.length === 0) return byIdentity
  // Hashed beforehand: under row level security an index may only serve comparisons without such functions.
  const { rows } = await sql<{ key: string; memory_id: string }>`
    select given.key, found.memory_id
    from (select key, hashtextextended(key, 0) as hash from unnest(${keys}::text[]) key offset 0) given
    cross join lateral (
      select memory_id, sequence from events
      where project_id = ${projectId} and identity_hash = given.hash
      order by sequence desc limit ${MOST_ALIKE}
    ) found
    order by found.sequence desc`.execute(db)
  for (const { key, memory_id } of rows) {
    const ids = byIdentity.get(key) ?? []
    byIdentity.set(key, ids)
    if (!ids.includes(memory_id)) ids.push(memory_id)
  }
  return byIdentity
}

function restoredVersion(command: Command): (readonly [string, number])[] {
  const version = versionBack(command)
  return version === null ? [] : [[command.id, version]]
}

/** The version whose state a command brings back; null if it brings none back. */
export function versionBack(command: Command): number | null {
  if (command.type === 'restore') return command.version ?? null
  return command.type === 'undo' && command.toVersion > 0 ? command.toVersion : null
}

async function readKeyUses(db: Queryable, projectId: string, requests: readonly AppendRequest[]) {
  const keys = requests.flatMap((request) => request.idempotencyKey ?? [])
  if (keys.length === 0) return new Map<string, KeyUse>()
  const rows = await db
    .selectFrom('idempotency_keys')
    .select(['idempotency_key', 'request_hash', 'memory_id', 'version'])
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`idempotency_key = any(${keys}::text[])`)
    .execute()
  return new Map(
    rows.map((row) => [
      row.idempotency_key,
      { hash: row.request_hash, memoryId: row.memory_id, version: row.version },
    ]),
  )
}

/** The newest states of memories, up to a sequence if one is given. */
async function readNewest(
  db: Queryable,
  projectId: string,
  ids: readonly string[],
  upTo: number | null = null,
) {
  if (ids.length === 0) return new Map<string, MemoryLookup>()
  const rows = await db
    .selectFrom('events')
    .select(EVENT_COLUMNS)
    .distinctOn('memory_id')
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`memory_id = any(${ids}::uuid[])`)
    .$if(upTo !== null, (query) => query.where('sequence', '<=', upTo))
    .orderBy('memory_id')
    .orderBy('version', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.memory_id, toFound(toRecord(row))]))
}

async function readVersions(
  db: Queryable,
  projectId: string,
  wanted: readonly (readonly [string, number])[],
) {
  if (wanted.length === 0) return new Map<string, MemoryLookup>()
  const rows = await db
    .selectFrom('events')
    .select(EVENT_COLUMNS)
    .where('project_id', '=', projectId)
    .where(
      sql<SqlBool>`(memory_id, version) in (select * from unnest(${wanted.map(([id]) => id)}::uuid[], ${wanted.map(([, version]) => version)}::int[]))`,
    )
    .execute()
  return new Map(rows.map((row) => [versionKey(row.memory_id, row.version), toFound(toRecord(row))]))
}

/** A project's journal under its lock: its end, and the time for new events. */
export interface LockedJournal {
  readonly sequence: number
  /** In hex. */
  readonly hash: string
  /**
   * RFC 3339, from the database's clock. If the last event is at most `CLOCK_TOLERANCE_MS` ahead of the
   * clock, its time counts instead, so that small corrections keep times in order. If it is further ahead,
   * the clock was wrong then, and is followed again now.
   */
  readonly now: string
  /** What the clock showed when the lock was asked for, in milliseconds since 1970. */
  readonly clockMs: number
  /** When the last event was recorded, if that is later than `now`; else null. */
  readonly setBackFrom: string | null
  /** The epoch of new events. */
  readonly epoch: number
  /** Whether a commit waits for the disk: on a server, not in the embedded database. */
  readonly flushes: boolean
}

type LockedRow = Omit<LockedJournal, 'setBackFrom'> & {
  readonly last: string | null
  readonly minimumWriter: number
  readonly followed: boolean
}

/**
 * Locks the project until the transaction ends. `for update` on the head row waits for the append before it,
 * then sees the row as that append left it. An advisory lock would need a second statement, because a
 * statement's snapshot is older than the lock it waits for. The same statement reads the oldest writer
 * version that may append, so the check costs nothing.
 * @param writes what is to be written: events that this Daybook decides, by default, or the copy of another home's
 * journal, with its branch
 * @throws FollowedError if the journal is a copy, for `own`; DaybookError IMPORT_CONFLICT if it is none, for `copy`;
 * DaybookError CONFIGURATION if this code is too old to append; ProjectDeletedError; UnavailableError if the project is
 * gone: `placeProject` may replace one without events
 */
export async function lockProject(
  trx: DatabaseTransaction,
  projectId: string,
  writes: 'own' | 'copy' = 'own',
): Promise<LockedJournal> {
  const { rows } = await sql<LockedRow>`
    select sequence, epoch, followed, encode(hash, 'hex') as hash, nullif(last_recorded_at, '-infinity') as last,
      date_trunc('milliseconds', case when ${isAheadOfClock(sql`last_recorded_at`)} then clock_timestamp()
        else greatest(clock_timestamp(), last_recorded_at) end) as now,
      ${CLOCK_WHEN_ASKED} as "clockMs", (select minimum_writer from compatibility) as "minimumWriter",
      current_setting('fsync') = 'on' as flushes
    from journal_heads where project_id = ${projectId} for update`.execute(trx)
  const row = rows[0]
  if (row === undefined) {
    if ((await readDeleted(trx, projectId)) !== null) throw new ProjectDeletedError(projectId)
    throw new UnavailableError(
      `The project ${projectId} has no journal here; an import may just have replaced it: try again in a moment`,
    )
  }
  const { last, minimumWriter, followed, ...head } = row
  const problem = writerProblem(minimumWriter)
  if (problem !== null) throw problem
  if (followed && writes === 'own') throw new FollowedError(projectId)
  if (!followed && writes === 'copy')
    throw new DaybookError(
      'IMPORT_CONFLICT',
      `The project ${projectId} does not follow another Daybook (any more)`,
    )
  return { ...head, setBackFrom: last !== null && Date.parse(last) > Date.parse(head.now) ? last : null }
}
