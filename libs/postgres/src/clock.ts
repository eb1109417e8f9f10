import { type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * How many milliseconds a moment may be ahead of the database's clock and still count as that clock's own. A
 * clock that is kept right is corrected by less; one that was wrong by years (2099) comes back by more.
 */
export const CLOCK_TOLERANCE_MS = 60_000

const milliseconds = (count: number) => sql`make_interval(secs => ${count / 1_000}::float8)`

/**
 * Whether a moment is so far ahead of the database's clock that it says nothing about when something
 * happened.
 */
export const isAheadOfClock = (moment: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`${moment} > clock_timestamp() + ${milliseconds(CLOCK_TOLERANCE_MS)}`
