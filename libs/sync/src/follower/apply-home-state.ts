import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import type { HomeState } from '../wire/stream-line.ts'

/**
 * Takes over what holds at the home beside events: who is in quarantine, at once; and the project's language, which counts
 * for the generations that are built from then on. A language that this database does not have is left as it is.
 */
export async function applyHomeState(
  { db, projectId }: ProjectScope,
  { quarantines, language }: HomeState,
): Promise<void> {
  await sql`select mirror_quarantines(${projectId}, ${JSON.stringify(quarantines)}::jsonb)`.execute(db)
  await sql`
    update projects set language = ${language}
    where id = ${projectId} and language <> ${language}
      and exists (select from pg_ts_config where cfgname = ${language} and pg_ts_config_is_visible(oid))`.execute(
    db,
  )
}
