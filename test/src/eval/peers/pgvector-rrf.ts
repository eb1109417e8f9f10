import type { Embedder } from '@daybook/embeddings/embedder'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { Pool } from 'pg'
import type { Peer } from './peer.ts'

const TABLE = `create extension if not exists vector;
drop schema if exists peer cascade; create schema peer;
create table peer.memories (id text primary key, text text not null, meaning vector(384) not null,
  words tsvector not null generated always as (to_tsvector('english', text)) stored);
create index on peer.memories using gin (words);
create index on peer.memories using hnsw (meaning vector_cosine_ops)`

const STORE =
  'insert into peer.memories (id, text, meaning) select * from unnest($1::text[], $2::text[], $3::vector[])'

/** Joins the question's words with OR: with AND, a question finds almost nothing. k = 60. */
const SEARCH = `with question as (
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

/**
 * The recipe that most would write themselves: pgvector and `ts_rank_cd`, joined by reciprocal rank fusion in
 * one statement, on a native Postgres, with the same MiniLM as Daybook.
 * @throws NoNativeServerError
 */
export async function pgvectorPeer(): Promise<Peer> {
  const server = await startNativeServer()
  const pool = new Pool({ connectionString: server.url, max: 1 })
  const embedder: Embedder = await startMiniLm({ cacheDir: testCacheDir() })
  const toSql = (vector: Float32Array) => `[${vector.join()}]`
  return {
    name: 'pgvector',
    async open() {
      await pool.query(TABLE)
      await pool.query('set hnsw.ef_search = 100')
      return {
        async store(memories) {
          const texts = memories.map(({ text }) => text)
          const vectors = (await embedder.embed(texts)).map(({ vector }) => toSql(vector))
          await pool.query(STORE, [memories.map(({ id }) => id), texts, vectors])
        },
        async search(question, limit) {
          const vector = toSql((await embedder.embedQuery(question)).vector)
          const { rows } = await pool.query<{ id: string }>(SEARCH, [question, vector, limit])
          return rows.map(({ id }) => id)
        },
        close: async () => {},
      }
    },
    async close() {
      await embedder.close()
      await pool.end()
      await server.stop()
    },
  }
}
