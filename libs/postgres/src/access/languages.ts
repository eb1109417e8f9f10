import { ValidationError } from '@daybook/memory/errors'
import { sql } from 'kysely'
import type { Database } from '../connect.ts'

/** The language of a project, and those that there are. */
export interface ProjectLanguage {
  readonly project: string
  /** Postgres' text search configuration, such as `english`, `german` or `simple`. */
  readonly language: string
  /** The text search configurations of this database, in order. */
  readonly available: string[]
}

/** Reads the language of a project. @throws Error if there is none */
export async function readLanguage(db: Database, projectId: string): Promise<ProjectLanguage> {
  const { rows } = await sql<ProjectLanguage>`
    select name as project, language,
      array(select cfgname::text from pg_ts_config where pg_ts_config_is_visible(oid) order by 1) as available
    from projects where id = ${projectId}`.execute(db)
  const [found] = rows
  if (found === undefined) throw new Error(`the project ${projectId} is gone`)
  return found
}

/**
 * Sets the language of a project. It counts for the generations that are built from then on.
 * @throws ValidationError for a language that this database does not have
 */
export async function setLanguage(
  db: Database,
  projectId: string,
  language: string,
): Promise<ProjectLanguage> {
  const { available } = await readLanguage(db, projectId)
  if (!available.includes(language))
    throw new ValidationError(
      'language',
      `must be one that this database has: ${available.join(', ')}. "simple" suits any, without word endings`,
    )
  await sql`update projects set language = ${language} where id = ${projectId}`.execute(db)
  return readLanguage(db, projectId)
}
