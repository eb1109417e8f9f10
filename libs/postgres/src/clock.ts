import { type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * Milliseconds that a moment may lie ahead of the database's clock and still be taken for one of its own. Clocks that are
 * kept right are corrected by less; one that was wrong by years (2099) comes back by more.
 */
export const CLOCK_TOLERANCE_MS = 60_000

/** No lease here is longer than 5 minutes: one that ends later than this was taken while the clock was ahead. */
const LONGEST_LEASE_MS = 3_600_000

const milliseconds = (count: number) => sql`make_interval(secs => ${count / 1_000}::float8)`

/** Whether a moment lies so far ahead of the database's clock that it says nothing of when something was. */
export const isAheadOfClock = (moment: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`${moment} > clock_timestamp() + ${milliseconds(CLOCK_TOLERANCE_MS)}`

/** Whether a lease that ends then has run out, or was taken by a clock that was ahead: its holder would keep it for years. */
export const isLeaseOver = (end: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${end} < clock_timestamp() or ${end} > clock_timestamp() + ${milliseconds(LONGEST_LEASE_MS)})`
