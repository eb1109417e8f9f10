import { sql } from 'kysely'
import type { Database } from '../connect.ts'

/** What an operator wants to know about a database server. */
export interface ServerFacts {
  /** How long the smallest query takes, in milliseconds. */
  readonly roundTripMs: number
  /** Such as `15.14`. */
  readonly version: string
  /** The version of pgvector, such as `0.8.7`. */
  readonly vectorVersion: string
  /** The size of the whole database: the journal, the read models and everything else in it. */
  readonly bytes: number
  /** Whether it takes no writes: the embedded one on a full disk, or a standby. */
  readonly onlyReads: boolean
}

/** Reads the facts, with two queries. */
export async function readServerFacts(db: Database): Promise<ServerFacts> {
  const startedAt = performance.now()
  await sql`select 1`.execute(db)
  const roundTripMs = performance.now() - startedAt
  const { rows } = await sql<Omit<ServerFacts, 'roundTripMs'>>`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      (select extversion from pg_extension where extname = 'vector') as "vectorVersion",
      pg_database_size(current_database()) as bytes,
      current_setting('transaction_read_only')::boolean as "onlyReads"`.execute(db)
  const facts = rows[0]
  if (facts === undefined) throw new Error('the database returned no facts about itself')
  return { roundTripMs, ...facts }
}
