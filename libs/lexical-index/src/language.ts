import { type RawBuilder, sql } from 'kysely'
import type { LexicalTables } from './tables.ts'

/** The language of a new project. */
export const DEFAULT_LANGUAGE = 'english'

/** SQL: the default language as Postgres' text search configuration. */
export const ENGLISH: RawBuilder<unknown> = sql`'english'::regconfig`

/** SQL: the language that a project shall have, as Postgres' text search configuration. */
export const languageOfProject = (projectId: string): RawBuilder<unknown> =>
  sql`coalesce((select language from projects where id = ${projectId}), 'english')::regconfig`

/**
 * SQL: the language of a project in a generation, as Postgres' text search configuration. It stays the same as
 * long as the generation lives, whatever the project's language becomes meanwhile: a rebuild changes it. A project
 * without memories has none yet.
 */
export const languageOf = (
  { lexicalStats }: Pick<LexicalTables, 'lexicalStats'>,
  projectId: string,
): RawBuilder<unknown> =>
  sql`coalesce((select language from ${lexicalStats} where project_id = ${projectId}),
    (select language from projects where id = ${projectId}), 'english')::regconfig`
