import type { Queryable } from '@daybook/postgres/connect'
import { sql } from 'kysely'

/** What waits for vectors, in all models and projects. */
export interface QueueState {
  /** Texts without vectors, counted once per project, including failed ones. */
  readonly queued: number
  /** Texts whose last try failed. They are tried again, less and less often. */
  readonly failed: number
  /** Texts that a worker has leased now. */
  readonly leased: number
  /** Why one of the failed texts failed; null if none did. */
  readonly failure: string | null
}

/** Reads only the queued rows of the store. */
export async function readQueueState(db: Queryable): Promise<QueueState> {
  const { rows } = await sql<QueueState>`
    select count(*) as queued,
      count(*) filter (where last_error is not null) as failed,
      count(*) filter (where last_error is null and leased_until > now()) as leased,
      max(last_error) as failure
    from embeddings where embedded_at is null`.execute(db)
  return rows[0] ?? { queued: 0, failed: 0, leased: 0, failure: null }
}
