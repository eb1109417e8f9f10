interface Statement {
  run(...values: readonly unknown[]): { readonly changes: number; readonly lastInsertRowid: number | bigint }
  all(...values: readonly unknown[]): { readonly id: string; readonly text: string }[]
}

/** As much of better-sqlite3 as is used. It is installed with the contest only, so its types are not here. */
export interface SqliteDatabase {
  exec(sql: string): void
  pragma(text: string): void
  prepare(sql: string): Statement
  transaction(run: () => void): () => void
  close(): void
}

/** A table of texts, an index of their words over it, and one of their vectors. */
export const TABLES = `create table if not exists memories (number integer primary key, id text unique, text text);
create virtual table if not exists words using fts5(text, content='memories', content_rowid='number', tokenize='porter unicode61');
create virtual table if not exists meanings using vec0(meaning float[384] distance_metric=cosine)`

/**
 * Finds ids and texts for words, a vector and a limit: the best hundred of each, joined by reciprocal rank, k = 60.
 *
 * Source: Alex Garcia, "Hybrid full-text search and vector search with SQLite" (2024).
 */
export const SEARCH = `with by_words as (
  select rowid as number, row_number() over (order by rank) as place from words where words match ? limit 100
), by_meaning as (
  select rowid as number, row_number() over (order by distance) as place from meanings where meaning match ? and k = 100
)
select id, text from by_words full outer join by_meaning using (number) join memories using (number)
order by coalesce(1.0 / (60 + by_words.place), 0) + coalesce(1.0 / (60 + by_meaning.place), 0) desc, id limit ?`

/** Takes a text out of the index of words, which keeps none itself and must be told it. */
export const DELETE_WORDS =
  "insert into words (words, rowid, text) select 'delete', number, text from memories where id = ?"
