import type { Embedder } from '@daybook/embeddings/embedder'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { Pool } from 'pg'
import type { Peer } from './peer.ts'
import { SEARCH, STORE, TABLE } from './rrf-sql.ts'

/**
 * The recipe that most would write themselves: pgvector and `ts_rank_cd`, joined by reciprocal rank fusion in
 * one statement, on a native Postgres, with the same MiniLM as Daybook, which sees the beginning of a long
 * text.
 * @throws NoNativeServerError
 */
export async function pgvectorPeer(): Promise<Peer> {
  const server = await startNativeServer()
  const pool = new Pool({ connectionString: server.url, max: 1 })
  // `end` does not wait for the server's side, so a connection that is ending may still hear of the server's stop.
  pool.on('error', () => {})
  const embedder: Embedder = await startMiniLm({ cacheDir: testCacheDir() })
  const toSql = (vector: Float32Array) => `[${vector.join()}]`
  const beginnings = async (texts: readonly string[]) =>
    (await embedder.chunk(texts)).map(([span], index) => texts[index]?.slice(0, span?.end) ?? '')
  return {
    name: 'pgvector',
    async open() {
      await pool.query(TABLE)
      await pool.query('set hnsw.ef_search = 100')
      return {
        async store(memories) {
          const texts = memories.map(({ text }) => text)
          const vectors = (await embedder.embed(await beginnings(texts))).map(({ vector }) => toSql(vector))
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
