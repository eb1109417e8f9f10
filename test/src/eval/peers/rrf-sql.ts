/** Makes the empty table, with an index for words and one for vectors. */
export const TABLE = `create extension if not exists vector;
drop schema if exists peer cascade; create schema peer;
create table peer.memories (id text primary key, text text not null, meaning vector(384) not null,
  words tsvector not null generated always as (to_tsvector('english', text)) stored);
create index on peer.memories using gin (words);
create index on peer.memories using hnsw (meaning vector_cosine_ops)`

/** Stores arrays of ids, texts and vectors. */
export const STORE =
  'insert into peer.memories (id, text, meaning) select * from unnest($1::text[], $2::text[], $3::vector[])'

/**
 * Finds the ids for a question, its vector and a limit: the best hundred by words and by meaning, joined by
 * reciprocal rank. Joins the question's words with OR: with AND, a question finds almost
 * nothing. k = 60.
 */
export const SEARCH = `with question as (
  select replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery as words, $2::vector as meaning
), by_words as (
  select id, row_number() over (order by ts_rank_cd(m.words, q.words) desc, id) as rank
  from peer.memories m, question q where m.words @@ q.words order by rank limit 100
), by_meaning as (
  select id, row_number() over (order by distance, id) as rank from (
    select id, m.meaning <=> q.meaning as distance from peer.memories m, question q order by distance limit 100) near
)
select id from by_words full join by_meaning using (id)
order by coalesce(1.0 / (60 + by_words.rank), 0) + coalesce(1.0 / (60 + by_meaning.rank), 0) desc, id limit $3`
