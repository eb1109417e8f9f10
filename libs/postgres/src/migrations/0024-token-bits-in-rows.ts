import { type Kysely, sql } from 'kysely'

/**
 * Keeps the token bits of texts of up to some 80 tokens in their rows. Outside, each is two more lookups for a
 * search that reads the bits of 500 memories, and 150 bytes more (docs/measurements.md#token-bits-in-rows).
 * Two rows of this size fill a page. Bits that are stored already stay where they are. Compatible.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table daybook.embeddings set (toast_tuple_target = 4064)`.execute(db)
}
