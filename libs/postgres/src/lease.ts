import { type RawBuilder, type SqlBool, sql } from 'kysely'

/*
 * A lease: the right to work on a row, for a while, on the database's clock. It is in two columns of the row, `lease_owner` and
 * `leased_until`, and taken, renewed and given up in one short statement each, so that no lock is held while the work is done:
 *
 *   free ──take──▶ leased ──release──▶ free
 *                   │  ▲ renew
 *                   └──┘──its owner died or was paused: it runs out──▶ free to others
 *
 * The owner's name is new each time that a process begins or takes one, and so is a fencing token: whoever was paused for longer than
 * the lease finds another name in the row, and its late writes are refused where they ask for their own.
 */

/** Who asks for leases. */
export interface LeaseOwner {
  /** Of this owner alone. */
  readonly name: string
  /** Milliseconds after which a lease that is not renewed is anybody's. */
  readonly leaseMs: number
}

/** No lease here is longer than 5 minutes: one that ends later than this was taken while the clock was ahead. */
const LONGEST_LEASE_MS = 3_600_000

const milliseconds = (count: number) => sql`make_interval(secs => ${count / 1_000}::float8)`

/** When a lease ends that is taken or renewed now. */
export const leaseEnd = (leaseMs: number): RawBuilder<string> =>
  sql<string>`clock_timestamp() + ${milliseconds(leaseMs)}`

/** Whether a lease that ends then has run out, or was taken by a clock that was ahead: its owner would keep it for years. */
export const isLeaseOver = (end: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${end} < clock_timestamp() or ${end} > clock_timestamp() + ${milliseconds(LONGEST_LEASE_MS)})`

/** Whether a row may be leased. @param row its alias */
export const isFree = (row: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(`${row}.lease_owner`)} is null or ${isLeaseOver(sql.ref(`${row}.leased_until`))})`

/** What `update … set` gives a row that is leased. */
export const leasedTo = ({ name, leaseMs }: LeaseOwner): RawBuilder<unknown> =>
  sql`lease_owner = ${name}, leased_until = ${leaseEnd(leaseMs)}`

/** What `update … set` gives a row that is free again. */
export const RELEASED: RawBuilder<unknown> = sql`lease_owner = null, leased_until = null`
