import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Database } from './connect.ts'

/*
 * A lease: the right to work on a row for a while, by the database's clock. It is two columns of the row,
 * `lease_owner` and `leased_until`. One short statement each takes, renews and releases it, so that no lock
 * is held during the work:
 *
 *   free ──take──▶ leased ──release──▶ free
 *                   │  ▲ renew
 *                   └──┘──its owner died or was paused: it runs out──▶ free to others
 *
 * The owner's name is new for each process or each lease, so it is also a fencing token. An owner that was
 * paused for longer than its lease finds another name in the row; its late writes check for their own name
 * and are refused.
 */

/** Somebody who takes leases. */
export interface LeaseOwner {
  /** Unique to this owner. */
  readonly name: string
  /** Milliseconds after which others may take a lease that is not renewed. */
  readonly leaseMs: number
}

/**
 * No lease here is longer than 5 minutes. One that ends later than this was taken while the clock was ahead.
 */
const LONGEST_LEASE_MS = 3_600_000

const milliseconds = (count: number) => sql`make_interval(secs => ${count / 1_000}::float8)`

/** When a lease ends that is taken or renewed now. */
export const leaseEnd = (leaseMs: number): RawBuilder<string> =>
  sql<string>`clock_timestamp() + ${milliseconds(leaseMs)}`

/**
 * Whether a lease with this end has run out. One taken by a clock that was ahead counts as run out too: its
 * owner would keep it for years.
 */
export const isLeaseOver = (end: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${end} < clock_timestamp() or ${end} > clock_timestamp() + ${milliseconds(LONGEST_LEASE_MS)})`

/** Whether a row may be leased. @param row its alias */
export const isFree = (row: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(`${row}.lease_owner`)} is null or ${isLeaseOver(sql.ref(`${row}.leased_until`))})`

/** The `set` part of an update that leases a row. */
export const leasedTo = ({ name, leaseMs }: LeaseOwner): RawBuilder<unknown> =>
  sql`lease_owner = ${name}, leased_until = ${leaseEnd(leaseMs)}`

/** The `set` part of an update that frees a row. */
export const RELEASED: RawBuilder<unknown> = sql`lease_owner = null, leased_until = null`

/**
 * Frees the leases of dead processes before they run out: operations, projects of relays and projectors,
 * texts, expiry, followed projects. Only for a process that knows that no other one uses this database, such as the
 * daemon that holds an embedded database's data folder.
 */
export async function releaseLeases(db: Database): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`update operations set leased_until = clock_timestamp() where status = 'running'`.execute(trx)
    for (const table of ['relay_positions', 'positions', 'expiry_lease', 'followed_projects'])
      await sql`update ${sql.table(table)} set ${RELEASED} where lease_owner is not null`.execute(trx)
    // Texts with an error wait for their next try.
    await sql`update embeddings set leased_until = null
      where embedded_at is null and leased_until is not null and last_error is null`.execute(trx)
  })
}
