import { DaybookError } from '@daybook/memory/errors'
import { sql } from 'kysely'
import type { Database } from './connect.ts'

interface Role {
  readonly role: string
  readonly superuser: boolean
  readonly bypasses: boolean
  /** A table of Daybook that it owns, itself or as a member of the owner; null if it owns none. */
  readonly owned: string | null
  /** A table with projects' rows that is not secured; null if there is none. */
  readonly open: string | null
}

/**
 * Makes sure that row level security binds the role that the application works as: it is no superuser, may not
 * bypass it, and owns no table, whose owner could switch it off.
 *
 * @param db as the application
 * @throws DaybookError CONFIGURATION that says which statement an administrator has to run
 */
export async function checkApplicationRole(db: Database): Promise<void> {
  const { rows } = await sql<Role>`
    with tables as (
      select c.oid::regclass::text as name, relowner, relrowsecurity and relforcerowsecurity as secured, exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'project_id' and not a.attisdropped) as has_projects
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and (n.nspname = 'daybook' or n.nspname ~ '^pgvector_[0-9]+$')
    )
    select rolname as role, rolsuper as superuser, rolbypassrls as bypasses,
      (select name from tables where pg_has_role(current_user, relowner, 'usage') order by name limit 1) as owned,
      (select name from tables where has_projects and not secured order by name limit 1) as open
    from pg_roles where rolname = current_user`.execute(db)
  const problem = rows.map(problemOf).find((one) => one !== null)
  if (problem != null) throw new DaybookError('CONFIGURATION', problem)
}

function problemOf({ role, superuser, bypasses, owned, open }: Role): string | null {
  const because = 'so row level security would not keep projects apart'
  if (superuser)
    return `The role "${role}" is a superuser, ${because}. Let an administrator run: alter role ${role} nosuperuser`
  if (bypasses)
    return `The role "${role}" may bypass row level security, ${because}. Let an administrator run: alter role ${role} nobypassrls`
  if (owned !== null)
    return `The role "${role}" owns the table ${owned}, ${because}. Let an administrator give it back to the user that migrates (alter table ${owned} owner to …), or take ${role} out of that role (revoke … from ${role})`
  if (open !== null)
    return `Row level security is off for the table ${open}, which has rows of projects. Let its owner run: alter table ${open} enable row level security, force row level security`
  return null
}
