import type { Database } from '@daybook/postgres/connect'
import { isFree, isLeaseOver, type LeaseOwner, leasedTo, RELEASED } from '@daybook/postgres/lease'
import { sql } from 'kysely'

/**
 * Takes or renews the lease of expiry, so that one of several gateways does the work.
 * @returns whether this owner has it now
 */
export async function takeExpiryLease(db: Database, owner: LeaseOwner): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update expiry_lease l set ${leasedTo(owner)}
    where ${isFree('l')} or l.lease_owner = ${owner.name}`.execute(db)
  return numAffectedRows === 1n
}

/** Releases the lease if this owner has it. */
export async function releaseExpiryLease(db: Database, { name }: LeaseOwner): Promise<void> {
  await sql`update expiry_lease set ${RELEASED} where lease_owner = ${name} and not ${isLeaseOver(sql`leased_until`)}`.execute(
    db,
  )
}
