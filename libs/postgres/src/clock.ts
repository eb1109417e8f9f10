import { type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * Milliseconds that a moment may lie ahead of the database's clock and still be taken for one of its own. Clocks that are
 * kept right are corrected by less; one that was wrong by years (2099) comes back by more.
 */
export const CLOCK_TOLERANCE_MS = 60_000

const milliseconds = (count: number) => sql`make_interval(secs => ${count / 1_000}::float8)`

/** Whether a moment lies so far ahead of the database's clock that it says nothing of when something was. */
export const isAheadOfClock = (moment: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`${moment} > clock_timestamp() + ${milliseconds(CLOCK_TOLERANCE_MS)}`
