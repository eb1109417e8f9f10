import type { Session } from '../api/session.ts'
import { Navigation } from './navigation.tsx'
import { PageFrame } from './page-frame.tsx'
import { pageAt } from './pages.ts'
import { ProjectChoice } from './project-choice.tsx'
import { ThemeChoice } from './theme-choice.tsx'
import { whyClosed } from './why-closed.ts'

/** What stands around every page: navigation, project, theme, and who is logged in. */
export function Shell({
  session,
  path,
  onLogOut,
}: {
  readonly session: Session
  readonly path: string
  onLogOut(): void
}) {
  const found = pageAt(path)
  const closed = found === null ? null : whyClosed(found.page, session)
  return (
    <>
      <a class="skip-link" href="#content">
        Skip to the content
      </a>
      <header class="shell-header">
        <a class="shell-name" href="/">
          Daybook
        </a>
        <Navigation session={session} current={found?.page ?? null} />
        <div class="shell-choices">
          <ProjectChoice session={session} />
          <ThemeChoice />
          <button
            type="button"
            class="quiet"
            onClick={onLogOut}
            title={`Logged in with the key "${session.key}"`}
          >
            Log out
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {found === null ? (
          <p class="notice">
            There is no page at {path}. <a href="/">Search</a> is where most things begin.
          </p>
        ) : closed !== null ? (
          <p class="notice" role="alert">
            {closed}
          </p>
        ) : (
          <PageFrame key={found.page.path} page={found.page} rest={found.rest} session={session} />
        )}
      </main>
    </>
  )
}
