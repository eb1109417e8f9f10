import { DaybookError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import { sql } from 'kysely'
import type { Database, Queryable } from '../connect.ts'
import type { Access } from './api-keys.ts'

/*
 * A project that is deleted disappears at once (`migrations/baseline/deletion.ts`): it has no name, no journal's head and no keys any
 * more. What it held is removed afterwards, step by step, by the operation `delete-project`. A row stays, which
 * says who deleted it and when.
 */

/** The project was deleted: nothing in it can be read or written any more. */
export class ProjectDeletedError extends DaybookError {
  constructor(projectId: string) {
    super(
      'PROJECT_DELETED',
      `The project ${projectId} was deleted for good: nothing can be read from it or written to it any more`,
    )
  }
}

/** The trace of a deleted project. */
export interface DeletedProject {
  readonly id: string
  /** The name of the key that asked for it. */
  readonly deletedBy: string | null
  /** How many events its journal had. */
  readonly events: number
  readonly requestedAt: string
  /** Null while something of it may be left. */
  readonly finishedAt: string | null
}

/**
 * Makes a project disappear, waiting for an append under way. The copy of a project that has its home elsewhere may come again.
 * @returns false if there is no such project
 * @throws the database's error if the acting key does not run the whole Daybook
 */
export async function beginDeletion(db: Database, acting: Access, projectId: string): Promise<boolean> {
  const { rows } = await sql<{ begun: boolean }>`
    select begin_copy_removal(${acting.keyHash}, ${projectId}, ${acting.keyName}, ${newId()}) as begun`.execute(
    db,
  )
  return rows[0]?.begun === true
}

const selectDeleted = (db: Queryable) =>
  db
    .selectFrom('deleted_projects')
    .select(['project_id as id', 'deleted_by as deletedBy', 'events'])
    .select(['requested_at as requestedAt', 'finished_at as finishedAt'])

/** The trace of the project with that id; null if none was deleted. */
export async function readDeleted(db: Queryable, projectId: string): Promise<DeletedProject | null> {
  return (await selectDeleted(db).where('project_id', '=', projectId).executeTakeFirst()) ?? null
}

/**
 * Forgets that a project was deleted here, if that was only a copy, and all of it is removed.
 * @returns whether it was one
 */
export async function forgetRemovedCopy(db: Queryable, projectId: string): Promise<boolean> {
  const { rows } = await sql<{
    forgotten: boolean
  }>`select forget_removed_copy(${projectId}) as forgotten`.execute(db)
  return rows[0]?.forgotten === true
}

/** Which of these projects were deleted. */
export async function deletedAmong(db: Queryable, projectIds: readonly string[]): Promise<Set<string>> {
  if (projectIds.length === 0) return new Set()
  const rows = await selectDeleted(db).where('project_id', 'in', projectIds).execute()
  return new Set(rows.map(({ id }) => id))
}

/** The deleted projects, the last one first. */
export function listDeleted(db: Database, first: number): Promise<DeletedProject[]> {
  return selectDeleted(db).orderBy('requested_at', 'desc').limit(first).execute()
}

/** The deleted projects of which something may be left, the first one first. */
export function listUnfinished(db: Database): Promise<DeletedProject[]> {
  return selectDeleted(db).where('finished_at', 'is', null).orderBy('requested_at').execute()
}

/** Removes events of a deleted project, both sequences included. @returns how many there were */
export async function removeEvents(
  db: Database,
  projectId: string,
  from: number,
  to: number,
): Promise<number> {
  const { rows } = await sql<{ gone: number }>`
    select delete_project_events(${projectId}, ${from}, ${to}) as gone`.execute(db)
  return rows[0]?.gone ?? 0
}

/** Removes some idempotency keys of a deleted project. @returns how many; fewer than `most`: the last ones */
export async function removeRequests(db: Database, projectId: string, most: number): Promise<number> {
  const { rows } = await sql<{ gone: number }>`
    select delete_project_requests(${projectId}, ${most}) as gone`.execute(db)
  return rows[0]?.gone ?? 0
}

/** Notes that nothing of a deleted project is left but its trace. */
export async function finishDeletion(db: Database, projectId: string): Promise<void> {
  await sql`select finish_project_deletion(${projectId})`.execute(db)
}
