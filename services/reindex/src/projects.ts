import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'

/** A project with events. */
export interface KnownProject {
  readonly scope: ProjectScope
  readonly id: string
  readonly name: string
  /** The last sequence of its journal. */
  readonly head: number
  /** The hash of the event there. */
  readonly hash: string
}

/** All projects with events, or the one of that id, in a fixed order. */
export async function readProjects(db: Database, projectId: string | null): Promise<KnownProject[]> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('journal_heads', 'journal_heads.project_id', 'projects.id')
    .select(['projects.id', 'projects.name', 'journal_heads.sequence', 'journal_heads.hash'])
    .where('journal_heads.sequence', '>', 0)
    .$if(projectId !== null, (query) => query.where('projects.id', '=', projectId))
    .orderBy('projects.id')
    .execute()
  return rows.map(({ id, name, sequence, hash }) => ({
    scope: projectScope(db, id),
    id,
    name,
    head: sequence,
    hash: hash.toString('hex'),
  }))
}

/** The memories that there ever were, of all projects or of one. */
export async function countMemories(db: Database, projectId: string | null): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select((eb) => eb.fn.countAll<number>().as('memories'))
    .where('version', '=', 1)
    .$if(projectId !== null, (query) => query.where('project_id', '=', projectId as string))
    .executeTakeFirstOrThrow()
  return row.memories
}
