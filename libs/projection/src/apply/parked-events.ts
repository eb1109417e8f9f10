import { READER_VERSION } from '@daybook/postgres/compatibility'
import type { DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import { storableError } from '@daybook/postgres/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type GenerationRef, ofGeneration } from '../generations/generations.ts'
import type { ParkedEvent } from '../projection.ts'

/** Which of these memories have a parked event. Their later events must wait behind it. */
export async function memoriesWithParkedEvents(
  { db, projectId }: ProjectScope,
  ref: GenerationRef,
  memoryIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('parked_events')
    .select('memory_id')
    .distinct()
    .where(ofGeneration(ref))
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`memory_id = any(${memoryIds}::uuid[])`)
    .where('dropped_at', 'is', null)
    .execute()
  return new Set(rows.map((row) => row.memory_id))
}

/** How many of the project's events are parked in this generation. */
export async function countParked({ db, projectId }: ProjectScope, ref: GenerationRef): Promise<number> {
  const row = await db
    .selectFrom('parked_events')
    .select((eb) => eb.fn.countAll<number>().as('parked'))
    .where(ofGeneration(ref))
    .where('project_id', '=', projectId)
    .where('dropped_at', 'is', null)
    .executeTakeFirstOrThrow()
  return row.parked
}

/** A condition: no event of the project is parked in this generation. */
export const isNothingParked = (ref: GenerationRef, projectId: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`not exists (
    select from parked_events where ${ofGeneration(ref)} and project_id = ${projectId} and dropped_at is null)`

/**
 * The sequences, up to `sequence`, of a project's events that are parked in this generation: those of one
 * memory, or of all.
 */
export async function parkedUpTo(
  { db, projectId }: ProjectScope,
  ref: GenerationRef,
  sequence: number,
  memoryId?: string,
): Promise<number[]> {
  const rows = await db
    .selectFrom('parked_events')
    .select('sequence')
    .where(ofGeneration(ref))
    .where('project_id', '=', projectId)
    .where('sequence', '<=', sequence)
    .$if(memoryId !== undefined, (query) => query.where('memory_id', '=', memoryId as string))
    .where('dropped_at', 'is', null)
    .orderBy('sequence')
    .execute()
  return rows.map((row) => row.sequence)
}

/** Records events as parked. An event that is parked already keeps its row. */
export async function parkEvents(
  trx: DatabaseTransaction,
  ref: GenerationRef,
  projectId: string,
  parked: readonly ParkedEvent[],
): Promise<void> {
  if (parked.length === 0) return
  await trx
    .insertInto('parked_events')
    .values(
      parked.map(({ sequence, memoryId, error, attempts, unreadable }) => ({
        projection: ref.name,
        generation: ref.generation,
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
 * The parked events of a generation, dropped ones included, in one project or in all, ordered by project and
 * sequence.
 * @param sequence limits the list to this sequence of each project
 * @param first the most rows to return
 */
export async function listParked(
  db: Queryable,
  ref: GenerationRef,
  { projectId, sequence, first }: { projectId: string | null; sequence: number | null; first: number },
): Promise<ParkedRow[]> {
  return db
    .selectFrom('parked_events')
    .innerJoin('projects', 'projects.id', 'parked_events.project_id')
    .select(['project_id as projectId', 'projects.name as project', 'generation', 'sequence'])
    .select(['memory_id as memoryId', 'error', 'attempts'])
    .select(['parked_at as parkedAt', 'dropped_at as droppedAt'])
    .where(ofGeneration(ref))
    .$if(projectId !== null, (query) => query.where('project_id', '=', projectId as string))
    .$if(sequence !== null, (query) => query.where('sequence', '=', sequence as number))
    .orderBy('project_id')
    .orderBy('sequence')
    .limit(first)
    .execute()
}

/**
 * Drops a parked event for good, so that later events of its memory may be applied. @returns false if it is
 * not parked
 */
export async function dropParked(
  { db, projectId }: ProjectScope,
  ref: GenerationRef,
  sequence: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('parked_events')
    .set({ dropped_at: sql`now()` })
    .where(ofGeneration(ref))
    .where('project_id', '=', projectId)
    .where('sequence', '=', sequence)
    .where('dropped_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Deletes the parked events of these memories, because they have been applied.
 * @param dropped also those that an operator dropped. Default no: they are not applied
 */
export async function unparkMemories(
  trx: DatabaseTransaction,
  ref: GenerationRef,
  projectId: string,
  memoryIds: readonly string[],
  { dropped = false }: { readonly dropped?: boolean } = {},
): Promise<void> {
  await trx
    .deleteFrom('parked_events')
    .where(ofGeneration(ref))
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`memory_id = any(${memoryIds}::uuid[])`)
    .$if(!dropped, (query) => query.where('dropped_at', 'is', null))
    .execute()
}

/** Memories with parked events that only readers older than `readerVersion` have failed to read. */
export async function unreadByNewer(
  db: Queryable,
  ref: GenerationRef,
  readerVersion: number,
): Promise<{ readonly projectId: string; readonly memoryId: string }[]> {
  return db
    .selectFrom('parked_events')
    .select(['project_id as projectId', 'memory_id as memoryId'])
    .distinct()
    .where(ofGeneration(ref))
    .where('unreadable_by', '<', readerVersion)
    .where('dropped_at', 'is', null)
    .limit(UNREAD_AT_ONCE)
    .execute()
}

/** Memories retried together. The next look finds more. */
const UNREAD_AT_ONCE = 1_000

/** Records that a reader of this version has tried the unreadable parked events of these memories. */
export async function noteTriedBy(
  db: Queryable,
  ref: GenerationRef,
  memoryIds: readonly string[],
  readerVersion: number,
): Promise<void> {
  await db
    .updateTable('parked_events')
    .set({ unreadable_by: readerVersion })
    .where(ofGeneration(ref))
    .where(sql<SqlBool>`memory_id = any(${memoryIds}::uuid[])`)
    .where('unreadable_by', '<', readerVersion)
    .execute()
}

/** Records that a retry has failed. */
export async function noteRetry(
  { db, projectId }: ProjectScope,
  ref: GenerationRef,
  memoryId: string,
  error: string,
): Promise<void> {
  await db
    .updateTable('parked_events')
    .set((eb) => ({ attempts: eb('attempts', '+', 1), error: storableError(error) }))
    .where(ofGeneration(ref))
    .where('project_id', '=', projectId)
    .where('memory_id', '=', memoryId)
    .where('dropped_at', 'is', null)
    .execute()
}
