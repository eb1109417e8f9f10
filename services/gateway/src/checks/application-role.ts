import { type ApplicationRights, readApplicationRights } from '@daybook/postgres/inspect/application-rights'
import { type CheckedParts, type Finding, failed, ok } from './check.ts'

/** Whether what queries run as is bound by the database’s own rules. */
export async function checkApplicationRole({ db }: CheckedParts): Promise<Finding> {
  return judgeRights(await readApplicationRights(db))
}

export function judgeRights({
  role,
  isSuperuser,
  ownsJournal,
  mayChangeJournal,
}: ApplicationRights): Finding {
  const problems = [
    ...(isSuperuser ? ['is a superuser, or passes row level security by'] : []),
    ...(ownsJournal ? ['owns the journal'] : []),
    ...(mayChangeJournal ? ['may change events'] : []),
  ]
  return problems.length === 0
    ? ok(`Queries run as ${role}, which may not change the journal`)
    : failed(
        `Queries run as ${role}, which ${problems.join(', ')}`,
        'Let a superuser take that from it: alter role daybook_app nosuperuser nobypassrls; revoke update, delete, truncate on daybook.events from daybook_app',
      )
}
