import type { Page } from './page.ts'

/** All pages, in the order of the navigation, in which those for keys with ADMIN stand apart. */
export const PAGES: readonly Page[] = [
  { path: '/', title: 'Search', load: () => import('../search/search-page.tsx') },
  {
    path: '/console/memory',
    title: 'Memory',
    inNavigation: false,
    load: () => import('../memory/memory-page.tsx'),
  },
  { path: '/console/journal', title: 'Journal', load: () => import('../journal/journal-page.tsx') },
  { path: '/console/review', title: 'Review', load: () => import('../review/review-page.tsx') },
  { path: '/console/map', title: 'Map', load: () => import('../map/map-page.tsx') },
  { path: '/console/growth', title: 'Growth', load: () => import('../growth/growth-page.tsx') },
  { path: '/console/undo', title: 'Undo', load: () => import('../undo/undo-page.tsx') },
  { path: '/console/start', title: 'Get started', load: () => import('../first-run/start-page.tsx') },
  {
    path: '/console/operations',
    title: 'Operations',
    forDaybookAdmins: true,
    load: () => import('../operations/operations-page.tsx'),
  },
  {
    path: '/console/sync',
    title: 'Sync',
    forAdmins: true,
    load: () => import('../sync/sync-page.tsx'),
  },
  {
    path: '/console/keys',
    title: 'Keys and projects',
    forAdmins: true,
    load: () => import('../keys/keys-page.tsx'),
  },
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
