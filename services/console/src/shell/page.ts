import type { ComponentType } from 'preact'
import type { Session } from '../api/session.ts'

/** What a page gets. */
export interface PageProps {
  readonly session: Session
  /** What follows the page's path in the address, decoded: the id in `/console/memory/<id>`; else empty. */
  readonly rest: string
}

/** A page of the console. */
export interface Page {
  /** `/` or `/console/<name>`. What follows after a slash is the page's `rest`. */
  readonly path: string
  /** In the navigation and in the tab. */
  readonly title: string
  /** Whether the navigation has it. Default yes. */
  readonly inNavigation?: boolean
  /** Whether it is only for keys with the scope ADMIN, of some projects or all. Default no. */
  readonly forAdmins?: boolean
  /** Whether it is only for keys that run the whole Daybook. Default no. */
  readonly forDaybookAdmins?: boolean
  /** Loaded when the page is first opened. */
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>
}

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
