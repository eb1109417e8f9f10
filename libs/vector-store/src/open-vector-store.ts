import { Pool } from 'pg'
import { createInMemoryVectorStore } from './in-memory-store.ts'
import { createPostgresVectorStore } from './postgres-store.ts'
import type { VectorStore } from './vector-store.ts'

/** The options of `openVectorStore`. */
export interface OpenVectorStoreOptions {
  /** `postgres://…`, a server with pgvector. Undefined or empty: the store is in memory. */
  readonly databaseUrl?: string | undefined
  /** How many numbers a vector has, 1 to 2,000. */
  readonly dimension: number
  /** The table in Postgres. Default `daybook_documents`. */
  readonly table?: string | undefined
}

/**
 * Opens a vector store that just works: in Postgres if an address is given, else in memory.
 * @throws ValidationError, or an error of `pg` if the server cannot be used
 */
export async function openVectorStore({
  databaseUrl,
  dimension,
  table,
}: OpenVectorStoreOptions): Promise<VectorStore> {
  if (databaseUrl === undefined || databaseUrl === '') return createInMemoryVectorStore({ dimension })
  const pool = new Pool({ connectionString: databaseUrl })
  // A connection that breaks while nobody uses it is replaced. Unheard, its error would end the process.
  pool.on('error', () => {})
  try {
    return await createPostgresVectorStore({ client: pool, dimension, table, onClose: () => pool.end() })
  } catch (error) {
    await pool.end()
    throw error
  }
}
