import { check } from '@daybook/memory/check'
import { newId } from '@daybook/memory/id'
import { LIMITS } from '@daybook/memory/limits'
import { shortString } from '@daybook/memory/text-rules'
import { type SqlBool, sql } from 'kysely'
import type { Database } from '../connect.ts'

/**
 * The id of the project of that name; makes it, with an empty journal, if there is none. Safe when several
 * processes do it at once.
 */
export async function ensureProject(db: Database, name: string): Promise<string> {
  return db.transaction().execute(async (trx) => {
    await trx
      .insertInto('projects')
      .values({ id: newId(), name })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    const { id } = await trx
      .selectFrom('projects')
      .select('id')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    await trx
      .insertInto('journal_heads')
      .values({ project_id: id, last_recorded_at: sql<string>`'-infinity'::timestamptz` })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return id
  })
}

/** A project's id and name. */
export interface Project {
  readonly id: string
  readonly name: string
}

/** All projects, ordered by id: the same order in every database. */
export function listProjects(db: Database): Promise<Project[]> {
  return db.selectFrom('projects').select(['id', 'name']).orderBy('id').execute()
}

/**
 * The project of that name or with that id; null if there is none. A name wins over an id.
 * @param among the ids of the projects that count; null: all
 * @throws ValidationError for an impossible name, such as one with a NUL: Postgres would refuse the statement
 */
export async function findProject(
  db: Database,
  nameOrId: string,
  among: readonly string[] | null = null,
): Promise<Project | null> {
  check('project', shortString(LIMITS.nameCharacters), nameOrId)
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'name'])
    .where((either) =>
      either.or([either('name', '=', nameOrId), either(sql<string>`id::text`, '=', nameOrId.toLowerCase())]),
    )
    .where(sql<SqlBool>`(${among}::uuid[] is null or id = any(${among}::uuid[]))`)
    .execute()
  return rows.find(({ name }) => name === nameOrId) ?? rows[0] ?? null
}

/** A project as a list shows it. */
export interface ProjectEntry extends Project {
  readonly createdAt: string
}

/**
 * Projects by id, ordered by name.
 * @param ids null: all
 */
export function readProjects(db: Database, ids: readonly string[] | null): Promise<ProjectEntry[]> {
  return db
    .selectFrom('projects')
    .select(['id', 'name', 'created_at as createdAt'])
    .where(sql<SqlBool>`(${ids}::uuid[] is null or id = any(${ids}::uuid[]))`)
    .orderBy('name')
    .execute()
}

/** How many projects there are. */
export async function countProjects(db: Database): Promise<number> {
  const row = await db
    .selectFrom('projects')
    .select((eb) => eb.fn.countAll<number>().as('projects'))
    .executeTakeFirstOrThrow()
  return row.projects
}
