import { ERASED_EVENT, type JournalCursor } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type SqlBool, sql } from 'kysely'
import { type KeyUse, lockProject } from '../append/batch-context.ts'
import { writeEvents } from '../append/commit-batch.ts'
import { eraseContents } from '../erase/erase-contents.ts'
import type { ImportedEvent } from './check-project.ts'
import { leaveUnpublished } from './leave-unpublished.ts'
import { ImportConflictError } from './parse-line.ts'

/** What happened to a batch of imported events. */
export interface ImportCounts {
  readonly imported: number
  readonly alreadyThere: number
}

/**
 * Writes consecutive events and their idempotency keys in one transaction under the project's lock. Events
 * that are here already stay as they are, unless the batch has their memory's erasure: then they lose their
 * content here too. A different event is a conflict, and then nothing of the batch is written.
 * @throws ImportConflictError, UnavailableError
 */
export async function writeImported(
  { db, projectId }: ProjectScope,
  events: readonly ImportedEvent[],
): Promise<ImportCounts> {
  const [first, last] = [events[0], events.at(-1)]
  if (first === undefined || last === undefined) return { imported: 0, alreadyThere: 0 }
  return asConflict(first.sequence, last.sequence, () =>
    db.transaction().execute(async (trx) => {
      const head = await lockProject(trx, projectId)
      const { fresh, contents } = await insertImported(trx, projectId, head, events)
      // An erasure of what was here is news: the bus may still hold it.
      if (fresh > 0 && contents === 0)
        await leaveUnpublished(trx, projectId, { before: head.sequence, after: last })
      return { imported: fresh, alreadyThere: events.length - fresh }
    }),
  )
}

/** What was new of events. */
interface Inserted {
  readonly fresh: number
  /** How many events that were here lost their content, because their memory is erased. */
  readonly contents: number
}

/**
 * The part of `writeImported` within the transaction, which holds the project's lock.
 * @param head the journal's end
 * @throws ImportConflictError
 */
export async function insertImported(
  trx: DatabaseTransaction,
  projectId: string,
  head: JournalCursor,
  events: readonly ImportedEvent[],
): Promise<Inserted> {
  const last = events.at(-1)
  if (last === undefined) return { fresh: 0, contents: 0 }
  const there = events.filter(({ sequence }) => sequence <= head.sequence)
  const fresh = events.slice(there.length)
  await compareEvents(trx, projectId, there)
  const [first] = fresh
  if (first !== undefined && (first.sequence !== head.sequence + 1 || first.previous !== head.hash))
    throw conflict(head.sequence)
  await checkVersions(trx, projectId, fresh)
  const keyUses = await newKeyUses(trx, projectId, events)
  const end = fresh.length > 0 ? last : head
  if (fresh.length > 0 || keyUses.size > 0)
    await writeEvents(trx, projectId, fresh, keyUses, {
      sequence: end.sequence,
      hash: end.hash,
      recordedAt: last.recordedAt,
      ...(fresh.length > 0 && { epoch: last.epoch ?? 1 }),
    })
  const erased = events.filter(({ type, data }) => type === ERASED_EVENT && data === null)
  const contents = await eraseContents(
    trx,
    projectId,
    erased.map(({ memoryId }) => memoryId),
    erased.at(-1)?.sequence ?? 0,
  )
  return { fresh: fresh.length, contents }
}

/** @throws ImportConflictError where the database refuses ids or versions of the events */
export async function asConflict<T>(first: number, last: number, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    throw isTaken(error) ? taken(first, last, error) : error
  }
}

const conflict = (sequence: number) =>
  new ImportConflictError(
    sequence,
    `Event ${sequence} of this project differs between this Daybook and the export: the two histories diverged. Nothing of this batch was written; import into another Daybook, such as one with an empty data folder`,
  )

/** Compares only hashes: events with the same hash have the same data, facts and history. */
async function compareEvents(
  trx: DatabaseTransaction,
  projectId: string,
  events: readonly ImportedEvent[],
): Promise<void> {
  const [first, last] = [events[0], events.at(-1)]
  if (first === undefined || last === undefined) return
  const rows = await trx
    .selectFrom('events')
    .select(['sequence', 'hash'])
    .where('project_id', '=', projectId)
    .where('sequence', '>=', first.sequence)
    .where('sequence', '<=', last.sequence)
    .execute()
  const hashes = new Map(rows.map(({ sequence, hash }) => [sequence, hash.toString('hex')]))
  const other = events.find(({ sequence, hash }) => hashes.get(sequence) !== hash)
  if (other !== undefined) throw conflict(other.sequence)
}

/**
 * Each event must be its memory's next version, and none may follow its erasure. Projections take the last event in the
 * journal's order, and verification the highest version: where these differ, a memory stays that should not be there.
 * @throws ImportConflictError at the first event that is not
 */
async function checkVersions(
  trx: DatabaseTransaction,
  projectId: string,
  events: readonly ImportedEvent[],
): Promise<void> {
  /** The first of these events of each memory. */
  const firsts = new Map(events.toReversed().map((event) => [event.memoryId, event.version]))
  if (firsts.size === 0) return
  const [ids, versions] = [[...firsts.keys()], [...firsts.values()].map((version) => version - 1)]
  const rows = await trx
    .selectFrom('events')
    .select(['memory_id', 'version', 'type'])
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`(memory_id, version) in (select * from unnest(${ids}::uuid[], ${versions}::int[]))`)
    .execute()
  const newest = new Map(rows.map(({ memory_id, version, type }) => [memory_id, { version, type }]))
  for (const { sequence, memoryId, version, type } of events) {
    const before = newest.get(memoryId) ?? { version: 0, type: null }
    if (before.type === ERASED_EVENT)
      throw new ImportConflictError(
        sequence,
        `Event ${sequence} is about a memory that was erased for good before it`,
      )
    if (version !== before.version + 1)
      throw new ImportConflictError(
        sequence,
        `Event ${sequence} is version ${version} of its memory, without the version before it: they are counted one by one`,
      )
    newest.set(memoryId, { version, type })
  }
}

/**
 * The uses of keys that are unknown here.
 * @throws ImportConflictError if a key is known here for another request
 */
async function newKeyUses(
  trx: DatabaseTransaction,
  projectId: string,
  events: readonly ImportedEvent[],
): Promise<Map<string, KeyUse>> {
  const uses = events.flatMap(({ sequence, memoryId, version, keys }) =>
    keys.map(({ key, requestHash }) => ({
      key,
      sequence,
      use: { hash: requestHash === null ? null : Buffer.from(requestHash, 'hex'), memoryId, version },
    })),
  )
  const fresh = new Map<string, KeyUse>()
  if (uses.length === 0) return fresh
  const rows = await trx
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`idempotency_key = any(${uses.map(({ key }) => key)}::text[])`)
    .execute()
  const known = new Map(rows.map((row) => [row.idempotency_key, row]))
  for (const { key, sequence, use } of uses) {
    const row = known.get(key)
    if (row === undefined && !fresh.has(key)) fresh.set(key, use)
    else if (
      row === undefined ||
      !isSameRequest(row.request_hash, use.hash) ||
      row.memory_id !== use.memoryId ||
      row.version !== use.version
    )
      throw new ImportConflictError(
        sequence,
        `The idempotency key "${key}", which led to event ${sequence}, belongs to another request here`,
      )
  }
  return fresh
}

/** If either side has erased the hash, nothing says that the requests differ. */
const isSameRequest = (here: Buffer | null, exported: Buffer | null): boolean =>
  here === null || exported === null || here.equals(exported)

const UNIQUE_VIOLATION = '23505'

const isTaken = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === UNIQUE_VIOLATION

/**
 * Event ids are unique in a Daybook, and versions in a memory. A sound export of a project that is not here
 * breaks neither.
 */
function taken(first: number, last: number, cause: unknown): ImportConflictError {
  return new ImportConflictError(
    first,
    `One of the events ${first} to ${last} has an id that an event of another project has here, or repeats a version of a memory. None of them was written`,
    { cause },
  )
}
