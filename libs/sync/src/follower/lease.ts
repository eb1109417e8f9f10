import type { Database } from '@daybook/postgres/connect'
import { isFree, type LeaseOwner, leasedTo, leaseEnd, RELEASED } from '@daybook/postgres/lease'
import { sql } from 'kysely'

/** Takes the lease on following a project. @returns false if another process has it */
export async function takeFollowed(db: Database, owner: LeaseOwner, projectId: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update followed_projects f set ${leasedTo(owner)}
    where f.project_id = ${projectId} and (${isFree('f')} or f.lease_owner = ${owner.name})`.execute(db)
  return numAffectedRows > 0n
}

/** Renews leases. @returns the ids of those that are still the owner's */
export async function renewFollowed(
  db: Database,
  owner: LeaseOwner,
  projectIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ project_id: string }>`
    update followed_projects set leased_until = ${leaseEnd(owner.leaseMs)}
    where project_id = any(${projectIds}::uuid[]) and lease_owner = ${owner.name}
    returning project_id`.execute(db)
  return new Set(rows.map((row) => row.project_id))
}

/** Releases all leases of the owner. */
export async function releaseFollowed(db: Database, owner: LeaseOwner): Promise<void> {
  await sql`update followed_projects set ${RELEASED} where lease_owner = ${owner.name}`.execute(db)
}
