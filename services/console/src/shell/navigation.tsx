import type { Session } from '../api/session.ts'
import { useLocation } from '../router/location.ts'
import type { Page } from './page.ts'
import { PAGES } from './pages.ts'
import { whyClosed } from './why-closed.ts'

/** Links to the pages that the session may open. The project stays. */
export function Navigation({
  session,
  current,
}: {
  readonly session: Session
  readonly current: Page | null
}) {
  const project = useLocation().params.get('project')
  const search = project === null ? '' : `?project=${encodeURIComponent(project)}`
  const shown = PAGES.filter((page) => page.inNavigation !== false && whyClosed(page, session) === null)
  return (
    <nav aria-label="Pages">
      {shown.map((page) => (
        <a key={page.path} href={page.path + search} aria-current={page === current ? 'page' : undefined}>
          {page.title}
        </a>
      ))}
    </nav>
  )
}
