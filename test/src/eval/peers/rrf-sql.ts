/** Makes a schema with the empty table, an index for words and one for vectors. */
export const tableIn = (schema: string) => `create extension if not exists vector;
create schema if not exists ${schema};
create table if not exists ${schema}.memories (id text primary key, text text not null, meaning vector(384) not null,
  words tsvector not null generated always as (to_tsvector('english', text)) stored);
create index if not exists memories_words on ${schema}.memories using gin (words);
create index if not exists memories_meaning on ${schema}.memories using hnsw (meaning vector_cosine_ops)`

/** Stores arrays of ids, texts and vectors. One that is there already stays as it is, so a write can be repeated. */
export const STORE = `insert into memories (id, text, meaning)
select * from unnest($1::text[], $2::text[], $3::vector[]) on conflict (id) do nothing`

/**
 * Finds ids and texts for a question, its vector and a limit: the best hundred by words and by meaning, joined by
 * reciprocal rank. Joins the question's words with OR: with AND, a question finds almost
 * nothing. k = 60.
 */
export const SEARCH = `with question as (
  select replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery as words, $2::vector as meaning
), by_words as (
  select id, row_number() over (order by ts_rank_cd(m.words, q.words) desc, id) as rank
  from memories m, question q where m.words @@ q.words order by rank limit 100
), by_meaning as (
  select id, row_number() over (order by distance, id) as rank from (
    select id, m.meaning <=> q.meaning as distance from memories m, question q order by distance limit 100) near
)
select id, m.text from by_words full join by_meaning using (id) join memories m using (id)
order by coalesce(1.0 / (60 + by_words.rank), 0) + coalesce(1.0 / (60 + by_meaning.rank), 0) desc, id limit $3`
