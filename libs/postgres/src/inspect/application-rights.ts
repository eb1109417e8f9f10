import { sql } from 'kysely'
import type { Database } from '../connect.ts'

/** The rights of the role that queries run as. All flags should be false. */
export interface ApplicationRights {
  readonly role: string
  /** If true, row level security does not bind it. */
  readonly isSuperuser: boolean
  /** If true, row level security may not bind it, and it may change the journal. */
  readonly ownsJournal: boolean
  /**
   * The role that the session logged in as, which `reset role` returns to, and whether it has an owner's
   * rights.
   */
  readonly login: string
  readonly loginOwnsJournal: boolean
  /** Should be false: the journal is append-only by its rights. */
  readonly mayChangeJournal: boolean
}

/** Reads the rights of the current role and login. */
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
  if (rights === undefined) throw new Error('the database returned no rights')
  return rights
}
