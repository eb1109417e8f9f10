import { type ApplicationRights, readApplicationRights } from '@daybook/postgres/inspect/application-rights'
import { type CheckedParts, type Finding, failed, ok, warning } from './check.ts'

/** Checks that the database’s own rules bind the role that queries run as. */
export async function checkApplicationRole({ db }: CheckedParts): Promise<Finding> {
  return judgeRights(await readApplicationRights(db))
}

/** Judges the rights of the role that queries run as. */
export function judgeRights({
  role,
  isSuperuser,
  ownsJournal,
  mayChangeJournal,
  login,
  loginOwnsJournal,
}: ApplicationRights): Finding {
  const problems = [
    ...(isSuperuser ? ['is a superuser, or bypasses row level security'] : []),
    ...(ownsJournal ? ['owns the journal'] : []),
    ...(mayChangeJournal ? ['may change events'] : []),
  ]
  if (problems.length > 0)
    return failed(
      `Queries run as ${role}, which ${problems.join(', ')}`,
      'Let a superuser take that from it: alter role daybook_app nosuperuser nobypassrls; revoke update, delete, truncate on daybook.events from daybook_app',
    )
  const found = `Queries run as ${role}, which may not change the journal`
  return loginOwnsJournal
    ? warning(
        `${found}, but the user ${login} that they log in as may: it owns the tables`,
        'Give services a user of their own in DATABASE_URL, and the owner in DAYBOOK_OWNER_URL',
      )
    : ok(`${found}, logged in as ${login}, which may not either`)
}
