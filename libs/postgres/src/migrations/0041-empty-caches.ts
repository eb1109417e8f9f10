import { type Kysely, sql } from 'kysely'

/** The application may empty the tables that are filled again by themselves, if one is damaged (`damage.ts`). Compatible. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    grant truncate on daybook.embeddings, daybook.embedding_chunks, daybook.memory_maps, daybook.self_checks,
      daybook.parked_events, daybook.checkpoints, daybook.positions
    to daybook_app`.execute(db)
}
