import { type Kysely, sql } from 'kysely'

/**
 * Gives leases the same columns everywhere. Breaking: the previous version uses the old names, and its
 * processes check no minimum (`compatibility.ts`) that could be raised.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, from, to] of [
    ['relay_positions', 'holder', 'lease_owner'],
    ['relay_positions', 'held_until', 'leased_until'],
    ['operations', 'holder', 'lease_owner'],
    ['operations', 'held_until', 'leased_until'],
    ['positions', 'claimed_by', 'lease_owner'],
    ['positions', 'claimed_until', 'leased_until'],
    ['embeddings', 'claimed_until', 'leased_until'],
  ] as const)
    await sql`alter table ${sql.table(`daybook.${table}`)} rename column ${sql.ref(from)} to ${sql.ref(to)}`.execute(
      db,
    )
}
