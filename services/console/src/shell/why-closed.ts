import type { Session } from '../api/session.ts'
import type { Page } from './page.ts'

/** Why the session may not open a page, as a sentence with what to do about it; null if it may. */
export function whyClosed(
  { title, forAdmins = false, forDaybookAdmins = false }: Page,
  { key, scopes, wholeDaybook }: Session,
): string | null {
  const isAdmin = scopes.includes('admin')
  if (forDaybookAdmins ? wholeDaybook : isAdmin || !forAdmins) return null
  const has = `the key "${key}" has ${scopes.map((scope) => scope.toUpperCase()).join(' and ')}${isAdmin ? ' of its own projects' : ''}`
  return forDaybookAdmins
    ? `"${title}" needs a key with the scope ADMIN of all projects, one that runs the whole Daybook; ${has}. The daemon keeps such a key in <data folder>/api-key: log out, and log in with that one.`
    : `"${title}" needs a key with the scope ADMIN; ${has}. Log in with another key, or let whoever administers the project make one: daybook keys create <name> --scope admin.`
}
