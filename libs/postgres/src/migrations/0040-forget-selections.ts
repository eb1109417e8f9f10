import { type Kysely, sql } from 'kysely'

/**
 * What ended undos selected quotes memories that may be erased since. From now on it goes when an undo ends
 * (`KEPT_OPTIONS` of `libs/operations`). And whoever works as the application sees when a session of the console was opened.
 * Compatible.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update daybook.operations set options = options - '{filter,writer,actor,correlationId}'::text[]
    where type = 'undo' and status not in ('queued', 'running')`.execute(db)
  await sql`grant select (created_at) on daybook.console_sessions to daybook_app`.execute(db)
}
