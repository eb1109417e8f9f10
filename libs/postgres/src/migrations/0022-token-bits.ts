import { type Kysely, sql } from 'kysely'

/**
 * Gives the embedding store room for the bits of a text's tokens, and says how many tokens each chunk has.
 * Compatible: the previous version leaves both as they are, and knows no model that has them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table daybook.embeddings add column token_bits bytea`.execute(db)
  // Random bits cannot be compressed.
  await sql`alter table daybook.embeddings alter column token_bits set storage external`.execute(db)
  await sql`alter table daybook.embedding_chunks add column tokens integer not null default 0`.execute(db)
}
