import { type SqlBool, sql } from 'kysely'

/**
 * A condition that is always true. A transaction with it commits without waiting for the disk, which takes 3 ms
 * on an ordinary one (docs/measurements.md#from-a-write-to-findable).
 *
 * Only for what can be made again, such as read models and the relay's position. If the server crashes, it
 * loses the last moments of such commits, but never one before a commit that waited: all are in one log. So
 * the journal still has every acknowledged event, and what is made from it is only further behind.
 *
 * The embedded database has no process that would write such commits out later: they wait for the next commit
 * that syncs. No effect where no commit waits for the disk.
 */
export const commitUnflushed = () => sql<SqlBool>`set_config('synchronous_commit',
  case when current_setting('fsync') = 'on' then 'off' else current_setting('synchronous_commit') end, true) is not null`
