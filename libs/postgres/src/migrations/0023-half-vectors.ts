import { type Kysely, sql } from 'kysely'

/**
 * The embedding store keeps 16 bits a number, as the read model does: 1,100 bytes less a memory, and .9998 of
 * the ten nearest are the same (docs/measurements.md#vectors-of-16-bits-a-number). Compatible: Postgres
 * converts what the previous version writes and compares; only its verification of an index fails until its
 * processes are replaced. The table is written anew, some 10 s for a million texts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table daybook.embedding_chunks alter column embedding type halfvec using embedding::halfvec`.execute(
    db,
  )
}
