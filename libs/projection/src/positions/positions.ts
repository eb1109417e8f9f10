import { JournalDiverged } from '@daybook/journal/chain/check-chain'
import { noteCheckpoint } from '@daybook/journal/read/checkpoints'
import { CHAIN_START } from '@daybook/memory/event-hash'
import type { JournalCursor } from '@daybook/memory/events'
import { commitUnflushed, type DatabaseTransaction, type Queryable } from '@daybook/postgres/connect'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isNothingParked, parkEvents, unparkMemories } from '../apply/parked-events.ts'
import { type GenerationRef, ofGeneration } from '../generations/generations.ts'
import { PositionMoved, type ProjectionBatch } from '../projection.ts'

const START: JournalCursor = { sequence: 0, hash: CHAIN_START }

/** A condition on `positions`: the generation's row of the project. */
const ofProject = (ref: GenerationRef, projectId: string) =>
  sql<SqlBool>`${ofGeneration(ref)} and project_id = ${projectId}`

const toCursor = ({ position, hash }: { position: number; hash: Buffer }): JournalCursor => ({
  sequence: position,
  hash: hash.toString('hex'),
})

const selectPlace = (db: Queryable, ref: GenerationRef, projectId: string) =>
  db.selectFrom('positions').select(['position', 'hash']).where(ofProject(ref, projectId))

/** The generation's position in the project's journal; the chain's start before the first event. */
export async function readPlace(
  db: Queryable,
  ref: GenerationRef,
  projectId: string,
): Promise<JournalCursor> {
  const row = await selectPlace(db, ref, projectId).executeTakeFirst()
  return row === undefined ? START : toCursor(row)
}

/** The last sequence that the generation has applied in the project; 0 before the first. */
export async function readPosition(db: Queryable, ref: GenerationRef, projectId: string): Promise<number> {
  return (await readPlace(db, ref, projectId)).sequence
}

/**
 * Inserts the project's position, at 0, if it is missing. Call it before the transaction that locks the
 * position, not inside it: an insert waits for another uncommitted insert of the same row, however long that
 * takes.
 */
export async function ensurePosition(db: Queryable, ref: GenerationRef, projectId: string): Promise<void> {
  await db
    .insertInto('positions')
    .values({ projection: ref.name, generation: ref.generation, project_id: projectId, position: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The projects of which the generation has applied an event. */
export async function appliedProjects(db: Queryable, ref: GenerationRef): Promise<string[]> {
  const rows = await db
    .selectFrom('positions')
    .select('project_id')
    .where(ofGeneration(ref))
    .where('position', '>', 0)
    .execute()
  return rows.map((row) => row.project_id)
}

/** A condition: the project's journal has the event of this cursor. */
export const isInJournal = (projectId: string, { sequence, hash }: JournalCursor): RawBuilder<boolean> =>
  sql<boolean>`exists (
    select from events where project_id = ${projectId} and sequence = ${sequence} and hash = decode(${hash}, 'hex'))`

/**
 * Locks the position, which must exist, and checks that it is still at `from`. Call it first in the
 * transaction that applies the batch. Two replicas then take turns, and the slower one finds that the
 * position has moved instead of applying a batch twice. It does not wait for the other replica: there are
 * more projects to work on.
 *
 * The bus may bring events of a history that the journal has lost since. The same statement therefore checks
 * that the journal has the batch's end, and so the whole batch.
 *
 * @param unflushed the transaction need not wait for the disk: all that it writes is in the journal's database
 * and follows from the journal. Default no
 * @throws PositionMoved, also if something is parked and nothing should be; JournalDiverged
 */
export async function lockPosition(
  trx: DatabaseTransaction,
  ref: GenerationRef,
  projectId: string,
  { from, to, ifNothingParked = false }: Pick<ProjectionBatch, 'from' | 'to' | 'ifNothingParked'>,
  { unflushed = false } = {},
): Promise<void> {
  const row = await selectPlace(trx, ref, projectId)
    .select(isInJournal(projectId, to).as('known'))
    .$if(ifNothingParked, (query) => query.where(isNothingParked(ref, projectId)))
    .$if(unflushed, (query) => query.where(commitUnflushed()))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (row?.position !== from.sequence || row.hash.toString('hex') !== from.hash)
    throw new PositionMoved(ref.name, from.sequence)
  if (!row.known) throw new JournalDiverged(to)
}

/**
 * Moves the position to the batch's end and records the batch's parked events. Parked events of erased
 * memories are deleted.
 */
export async function savePosition(
  trx: DatabaseTransaction,
  ref: GenerationRef,
  projectId: string,
  { to, parked, erased }: Pick<ProjectionBatch, 'to' | 'parked' | 'erased'>,
): Promise<void> {
  // What an operator dropped goes too: an error may quote the text.
  if (erased.length > 0) await unparkMemories(trx, ref, projectId, erased, { dropped: true })
  await parkEvents(trx, ref, projectId, parked)
  await sql`
    with moved as (
      update positions set position = ${to.sequence}, hash = decode(${to.hash}, 'hex'), moved_at = now()
      where ${ofProject(ref, projectId)} returning 1
    )
    ${noteCheckpoint(ref, projectId, to)}`.execute(trx)
}

/** Sets a project's position. Only for a generation that nobody but the caller writes. */
export async function setPosition(
  trx: DatabaseTransaction,
  ref: GenerationRef,
  projectId: string,
  to: JournalCursor,
): Promise<void> {
  await sql`
    with moved as (
      insert into positions (projection, generation, project_id, position, hash)
      values (${ref.name}, ${ref.generation}, ${projectId}, ${to.sequence}, decode(${to.hash}, 'hex'))
      on conflict (projection, generation, project_id) do update
        set position = excluded.position, hash = excluded.hash, moved_at = now()
      returning 1
    )
    ${noteCheckpoint(ref, projectId, to)}`.execute(trx)
}

/**
 * Locks the position until the transaction ends, after waiting for a batch that is being written.
 * @returns the position; the journal's start if there is none
 */
export async function holdPosition(
  trx: DatabaseTransaction,
  ref: GenerationRef,
  projectId: string,
): Promise<JournalCursor> {
  const row = await selectPlace(trx, ref, projectId).forUpdate().executeTakeFirst()
  return row === undefined ? START : toCursor(row)
}

/**
 * Deletes the position of a project that was deleted, after waiting for a batch that is being written.
 */
export async function forgetPosition(
  { db, projectId }: { readonly db: Queryable; readonly projectId: string },
  ref: GenerationRef,
): Promise<void> {
  await db.deleteFrom('positions').where(ofProject(ref, projectId)).execute()
}

/** Lets consumers of the bus wait until the projection has reached the sequence of their message. */
interface ReachedPositions {
  /** Resolves once the project's position has reached `sequence`. @throws if the projector stops before */
  wait(projectId: string, sequence: number): Promise<void>
  moved(projectId: string, position: number): void
  /** Rejects all remaining waits. */
  giveUp(): void
}

interface Waiter {
  readonly sequence: number
  resolve(): void
  reject(error: Error): void
}

/** Creates an empty set of waiters. */
export function createReachedPositions(): ReachedPositions {
  const waiting = new Map<string, Waiter[]>()
  return {
    wait: (projectId, sequence) =>
      new Promise((resolve, reject) => {
        const waiters = waiting.get(projectId) ?? []
        waiting.set(projectId, waiters)
        waiters.push({ sequence, resolve, reject })
      }),
    moved(projectId, position) {
      const waiters = waiting.get(projectId) ?? []
      const left = waiters.filter((waiter) => waiter.sequence > position)
      if (left.length === waiters.length) return
      if (left.length === 0) waiting.delete(projectId)
      else waiting.set(projectId, left)
      for (const waiter of waiters) if (waiter.sequence <= position) waiter.resolve()
    },
    giveUp() {
      for (const waiters of waiting.values())
        for (const waiter of waiters) waiter.reject(new Error('the projector stops'))
      waiting.clear()
    },
  }
}

/** Tells readers in the same process at once that a position has moved. Other processes poll. */
export interface PositionSignal {
  moved(): void
  /** Resolves at the next move, or after `timeoutMs`. */
  next(timeoutMs: number): Promise<void>
}

/** Creates a signal that projectors raise and readers wait on. */
export function createPositionSignal(): PositionSignal {
  const waiting = new Set<() => void>()
  return {
    moved() {
      for (const wake of waiting) wake()
    },
    next(timeoutMs) {
      return new Promise((resolve) => {
        // Remove the waiter on timeout too: in a process without a projector, no position ever moves.
        const wake = () => {
          clearTimeout(timer)
          waiting.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, timeoutMs)
        waiting.add(wake)
      })
    },
  }
}

/** Milliseconds between reads of a position that another process moves. */
const POLL_MS = 50

/**
 * Waits until `read` returns at least `wanted`, for at most `timeoutMs`.
 * @returns the last position read; it is below `wanted` if the time ran out
 */
export async function waitForPosition(
  read: () => Promise<number>,
  wanted: number,
  signal: PositionSignal,
  timeoutMs = 5_000,
): Promise<number> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    // Listen before reading, so that no move in between is missed.
    const next = signal.next(Math.max(0, Math.min(POLL_MS, deadline - Date.now())))
    const position = await read()
    if (position >= wanted || Date.now() >= deadline) return position
    await next
  }
}
