import type { Queryable } from '@daybook/postgres/connect'
import { sql } from 'kysely'

/** What waits for vectors, of all models and projects together. */
export interface QueueState {
  /** Texts without vectors, each once a project, the failed ones among them. */
  readonly queued: number
  /** Those whose last try failed. They are tried again, ever more seldom. */
  readonly failed: number
  /** Those that somebody is at now. */
  readonly leased: number
  /** Why one of the failed ones failed; null where none did. */
  readonly failure: string | null
}

/** Goes through what is queued, and nothing else of the store. */
export async function readQueueState(db: Queryable): Promise<QueueState> {
  const { rows } = await sql<QueueState>`
    select count(*) as queued,
      count(*) filter (where last_error is not null) as failed,
      count(*) filter (where last_error is null and leased_until > now()) as leased,
      max(last_error) as failure
    from embeddings where embedded_at is null`.execute(db)
  return rows[0] ?? { queued: 0, failed: 0, leased: 0, failure: null }
}
