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
  /** Whether it is only for keys that run the whole Daybook. Default no. */
  readonly forDaybookAdmins?: boolean
  /** Loaded when the page is first opened. */
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>
}

/** All pages, in the order of the navigation. */
export const PAGES: readonly Page[] = [
  { path: '/', title: 'Search', load: () => import('../search/search-page.tsx') },
  { path: '/console/start', title: 'Get started', load: () => import('../first-run/start-page.tsx') },
]

/** The page at a path, and what follows it. Null if there is none. */
export function pageAt(path: string): { readonly page: Page; readonly rest: string } | null {
  const trimmed = path === '/' ? path : path.replace(/\/$/u, '')
  const page = PAGES.find(
    (one) => one.path === trimmed || (one.path !== '/' && trimmed.startsWith(`${one.path}/`)),
  )
  if (page === undefined) return null
  return { page, rest: decoded(trimmed.slice(page.path.length + 1)) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
