import { sql } from 'kysely'
import type { Database } from '../connect.ts'

/** What the role that queries run as may do. All but the names should be false. */
export interface ApplicationRights {
  readonly role: string
  /** Row level security does not bind it. */
  readonly isSuperuser: boolean
  /** The same. */
  readonly ownsJournal: boolean
  /** Whom the session logged in as, which `reset role` leads back to, and whether that may do all an owner may. */
  readonly login: string
  readonly loginOwnsJournal: boolean
  /** The journal is append-only by right. */
  readonly mayChangeJournal: boolean
}

export async function readApplicationRights(db: Database): Promise<ApplicationRights> {
  const { rows } = await sql<ApplicationRights>`
    select current_user::text as role,
      (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as "isSuperuser",
      (select pg_has_role(current_user, relowner, 'member') from pg_class
        where oid = 'daybook.events'::regclass) as "ownsJournal",
      session_user::text as login,
      (select pg_has_role(session_user, relowner, 'member') from pg_class
        where oid = 'daybook.events'::regclass) as "loginOwnsJournal",
      has_table_privilege('daybook.events', 'update, delete, truncate') as "mayChangeJournal"`.execute(db)
  const rights = rows[0]
  if (rights === undefined) throw new Error('the database told nothing of the role')
  return rights
}
