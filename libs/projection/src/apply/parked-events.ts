import { READER_VERSION } from '@daybook/postgres/compatibility'
import type { DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { storableError } from '@daybook/postgres/storable-error'
import { type SqlBool, sql } from 'kysely'
import { type GenerationRef, ofGeneration } from '../generations/generation-ref.ts'
import type { ParkedEvent } from '../projection.ts'

/** Which of these memories have a parked event: their later events must wait behind it. */
export async function memoriesWithParkedEvents(
  { db, projectId }: ProjectScope,
  place: GenerationRef,
  memoryIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('parked_events')
    .select('memory_id')
    .distinct()
    .where(ofGeneration(place))
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`memory_id = any(${memoryIds}::uuid[])`)
    .where('dropped_at', 'is', null)
    .execute()
  return new Set(rows.map((row) => row.memory_id))
}

/** How many of the project's events are parked in this generation. */
export async function countParked({ db, projectId }: ProjectScope, place: GenerationRef): Promise<number> {
  const row = await db
    .selectFrom('parked_events')
    .select((eb) => eb.fn.countAll<number>().as('parked'))
    .where(ofGeneration(place))
    .where('project_id', '=', projectId)
    .where('dropped_at', 'is', null)
    .executeTakeFirstOrThrow()
  return row.parked
}

/** The sequences of a project's events, up to `sequence`, that are parked in this generation; of one memory, or of all. */
export async function parkedUpTo(
  { db, projectId }: ProjectScope,
  place: GenerationRef,
  sequence: number,
  memoryId?: string,
): Promise<number[]> {
  const rows = await db
    .selectFrom('parked_events')
    .select('sequence')
    .where(ofGeneration(place))
    .where('project_id', '=', projectId)
    .where('sequence', '<=', sequence)
    .$if(memoryId !== undefined, (query) => query.where('memory_id', '=', memoryId as string))
    .where('dropped_at', 'is', null)
    .orderBy('sequence')
    .execute()
  return rows.map((row) => row.sequence)
}

/** Notes events as parked. What is parked already stays as it is. */
export async function parkEvents(
  trx: DatabaseTransaction,
  place: GenerationRef,
  projectId: string,
  parked: readonly ParkedEvent[],
): Promise<void> {
  if (parked.length === 0) return
  await trx
    .insertInto('parked_events')
    .values(
      parked.map(({ sequence, memoryId, error, attempts, unreadable }) => ({
        projection: place.name,
        generation: place.generation,
        project_id: projectId,
        sequence,
        memory_id: memoryId,
        error: storableError(error),
        attempts,
        unreadable_by: unreadable === true ? READER_VERSION : null,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** A parked event as operators see it. */
export interface ParkedRow extends ParkedEvent {
  readonly projectId: string
  /** The project's name. */
  readonly project: string
  readonly generation: number
  readonly parkedAt: string
  readonly droppedAt: string | null
}

/**
 * The parked events of a generation in all projects, or in one, in the order of their places; the dropped ones among them.
 * @param sequence only the one there, in each project
 */
export async function listParked(
  db: Queryable,
  place: GenerationRef,
  { projectId, sequence, first }: { projectId: string | null; sequence: number | null; first: number },
): Promise<ParkedRow[]> {
  return db
    .selectFrom('parked_events')
    .innerJoin('projects', 'projects.id', 'parked_events.project_id')
    .select(['project_id as projectId', 'projects.name as project', 'generation', 'sequence'])
    .select(['memory_id as memoryId', 'error', 'attempts'])
    .select(['parked_at as parkedAt', 'dropped_at as droppedAt'])
    .where(ofGeneration(place))
    .$if(projectId !== null, (query) => query.where('project_id', '=', projectId as string))
    .$if(sequence !== null, (query) => query.where('sequence', '=', sequence as number))
    .orderBy('project_id')
    .orderBy('sequence')
    .limit(first)
    .execute()
}

/** Passes over an event for good: later ones of its memory may be applied. @returns false where it is not parked */
export async function dropParked(
  { db, projectId }: ProjectScope,
  place: GenerationRef,
  sequence: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('parked_events')
    .set({ dropped_at: sql`now()` })
    .where(ofGeneration(place))
    .where('project_id', '=', projectId)
    .where('sequence', '=', sequence)
    .where('dropped_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Forgets that these memories' events are parked, as they are applied now. Dropped ones stay. */
export async function unparkMemories(
  trx: DatabaseTransaction,
  place: GenerationRef,
  projectId: string,
  memoryIds: readonly string[],
): Promise<void> {
  await trx
    .deleteFrom('parked_events')
    .where(ofGeneration(place))
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`memory_id = any(${memoryIds}::uuid[])`)
    .where('dropped_at', 'is', null)
    .execute()
}

/** The memories of a generation whose parked events no reader as new as `readerVersion` has tried to read. */
export async function unreadByNewer(
  db: Queryable,
  place: GenerationRef,
  readerVersion: number,
): Promise<{ readonly projectId: string; readonly memoryId: string }[]> {
  return db
    .selectFrom('parked_events')
    .select(['project_id as projectId', 'memory_id as memoryId'])
    .distinct()
    .where(ofGeneration(place))
    .where('unreadable_by', '<', readerVersion)
    .where('dropped_at', 'is', null)
    .limit(UNREAD_AT_ONCE)
    .execute()
}

/** Memories that are tried together: more are found by the next look. */
const UNREAD_AT_ONCE = 1_000

/** Notes that a reader of that version has tried what is parked of these memories for being unreadable. */
export async function noteTriedBy(
  db: Queryable,
  place: GenerationRef,
  memoryIds: readonly string[],
  readerVersion: number,
): Promise<void> {
  await db
    .updateTable('parked_events')
    .set({ unreadable_by: readerVersion })
    .where(ofGeneration(place))
    .where(sql<SqlBool>`memory_id = any(${memoryIds}::uuid[])`)
    .where('unreadable_by', '<', readerVersion)
    .execute()
}

/** Notes that a retry has failed. */
export async function noteRetry(
  { db, projectId }: ProjectScope,
  place: GenerationRef,
  memoryId: string,
  error: string,
): Promise<void> {
  await db
    .updateTable('parked_events')
    .set((eb) => ({ attempts: eb('attempts', '+', 1), error: storableError(error) }))
    .where(ofGeneration(place))
    .where('project_id', '=', projectId)
    .where('memory_id', '=', memoryId)
    .where('dropped_at', 'is', null)
    .execute()
}
