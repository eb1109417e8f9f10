import { startNativeServer } from '@daybook/postgres/testing/native-server'
import type { NativeServer } from '@daybook/postgres/testing/running-server'
import { Pool } from 'pg'
import type { Peer } from './peer.ts'
import { answers } from './peer.ts'
import { SEARCH, STORE, tableIn } from './rrf-sql.ts'
import { miniLmVectors, type Vectors } from './vectors.ts'

const toSql = (vector: readonly number[]) => `[${vector.join()}]`

/**
 * The recipe that most would write themselves: pgvector and `ts_rank_cd`, joined by reciprocal rank fusion in
 * one statement, on a native Postgres, with the same MiniLM as Daybook, which sees the beginning of a long
 * text.
 * @param given a server that runs already; default a new one
 * @throws NoNativeServerError
 */
export async function pgvectorPeer(
  given?: Pick<NativeServer, 'url' | 'stop'>,
  vectors: Vectors = miniLmVectors(),
): Promise<Peer> {
  const server = given ?? (await startNativeServer())
  return {
    name: 'pgvector',
    async open(group) {
      const schema = `"${group.replaceAll('"', '')}"`
      const pool = new Pool({
        connectionString: server.url,
        max: 1,
        options: `-c search_path=${schema.replaceAll(' ', '\\ ')},public`,
      })
      // `end` does not wait for the server's side, so a connection that is ending may still hear of the server's stop.
      pool.on('error', () => {})
      await pool.query(tableIn(schema))
      await pool.query('set hnsw.ef_search = 100')
      const rowsOf = async (question: string, limit: number) => {
        const meaning = toSql(await vectors.ofQuestion(question))
        return (await pool.query<{ id: string; text: string }>(SEARCH, [question, meaning, limit])).rows
      }
      return {
        async store(memories) {
          const meanings = (await vectors.ofMemories(memories)).map(toSql)
          const columns = [memories.map(({ id }) => id), memories.map(({ text }) => text), meanings]
          await pool.query(STORE, columns)
        },
        ...answers(rowsOf, ({ id }) => id),
        remove: async (id) => void (await pool.query('delete from memories where id = $1', [id])),
        ids: async () =>
          (await pool.query<{ id: string }>('select id from memories')).rows.map(({ id }) => id),
        close: () => pool.end(),
      }
    },
    async close() {
      await vectors.close()
      await server.stop()
    },
  }
}
