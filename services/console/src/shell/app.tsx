import type { ComponentType } from 'preact'
import { useCallback, useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks'
import { onSessionOver, useProject } from '../api/client.ts'
import { projectIn } from '../api/project.ts'
import { logOut, onSessionChanged, readSession, type Session } from '../api/session.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { isTyping } from '../components/format.ts'
import { SessionContext } from '../components/hooks.ts'
import { lazyPart } from '../components/lazy-part.tsx'
import { LoginPage } from '../login/login-page.tsx'
import { followLinks, navigate, setParams, useLocation } from '../router/location.ts'
import { type Page, type PageProps, whyClosed } from './page.ts'
import { PAGES, pageAt } from './pages.ts'
import { chooseTheme, readTheme, type Theme } from './theme.ts'

/** What stands above the page; null: nothing. */
type ShownDialog = { readonly is: 'go' | 'keys' } | { readonly is: 'add'; readonly text: string } | null

const AddMemory = lazyPart(() => import('../memory/add-memory.tsx'))
const GoTo = lazyPart(() => import('./go-to.tsx'))
const KeysDialog = lazyPart(async () => ({ default: (await import('./go-to.tsx')).KeysDialog }))

/** The path of login links: `/console/login#token=…`. */
const LOGIN = '/console/login'

/**
 * What is on the screen:
 *
 *   looking ──nobody──▶ login ──logged in──▶ pages ──session over, logged out──▶ login
 */
type State =
  | { readonly at: 'looking' }
  | { readonly at: 'failed'; readonly error: unknown }
  | { readonly at: 'login'; readonly reason: string | null }
  | { readonly at: 'pages'; readonly session: Session }

/** The whole console. */
export function App() {
  const [state, setState] = useState<State>({ at: 'looking' })
  const { path, params } = useLocation()

  const look = useCallback(async () => {
    try {
      const session = await readSession()
      setState(session === null ? { at: 'login', reason: null } : { at: 'pages', session })
    } catch (error) {
      setState({ at: 'failed', error })
    }
  }, [])
  useEffect(() => onSessionChanged(() => void look()), [look])
  useEffect(() => {
    followLinks()
    // A link's token is spent even if somebody is logged in: its key may be another one.
    if (location.pathname === LOGIN && location.hash !== '') setState({ at: 'login', reason: null })
    else void look()
    return onSessionOver(() => setState({ at: 'login', reason: 'Your session is over: log in again.' }))
  }, [look])

  if (state.at === 'looking') return <p class="loading">Loading …</p>
  if (state.at === 'failed') return <ErrorNotice error={state.error} onRetry={() => void look()} />
  if (state.at === 'login')
    return (
      <LoginPage
        reason={state.reason}
        onLoggedIn={() => {
          if (location.pathname === LOGIN) navigate('/', { replace: true })
          void look()
        }}
      />
    )
  const { session } = state
  const project = projectIn(params, session)
  // Before the pages render, which ask at once.
  useProject(project)
  const leave = () =>
    void logOut().then(
      () => setState({ at: 'login', reason: 'You are logged out.' }),
      (error: unknown) => setState({ at: 'failed', error }),
    )
  // Another project is another set of everything, so nothing of the page stays.
  return <Shell key={project} session={session} path={path === LOGIN ? '/' : path} onLogOut={leave} />
}

/** Links to pages: those of every day, then those of operators. The project stays. */
function Navigation({ shown, current }: { readonly shown: readonly Page[]; readonly current: Page | null }) {
  const project = useLocation().params.get('project')
  const search = project === null ? '' : `?project=${encodeURIComponent(project)}`
  const link = (page: Page) => (
    <a key={page.path} href={page.path + search} aria-current={page === current ? 'page' : undefined}>
      {page.title}
    </a>
  )
  const operators = shown.filter(isForOperators)
  return (
    <nav aria-label="Pages">
      {shown.filter((page) => !isForOperators(page)).map(link)}
      {operators.length > 0 && (
        <div class="shell-operators" role="group" aria-labelledby="for-operators">
          <h2 id="for-operators" class="small muted">
            Operation
          </h2>
          {operators.map(link)}
        </div>
      )}
    </nav>
  )
}

const isForOperators = ({ forAdmins = false, forDaybookAdmins = false }: Page) =>
  forAdmins || forDaybookAdmins

/** Loads a page and shows it. What the page throws is shown in its place; the rest of the console goes on. */
function PageFrame({
  page,
  rest,
  session,
}: {
  readonly page: Page
  readonly rest: string
  readonly session: Session
}) {
  const [Content, setContent] = useState<ComponentType<PageProps> | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [broken, reset] = useErrorBoundary()
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    document.title = `${page.title} · Daybook`
    setFailure(null)
    page.load().then((loaded) => setContent(() => loaded.default), setFailure)
  }, [page, attempt])
  const again = () => {
    reset()
    setAttempt(attempt + 1)
  }
  if (broken !== undefined || failure !== null)
    return <ErrorNotice error={broken ?? failure} onRetry={again} />
  if (Content === null) return <p class="loading">Loading …</p>
  return <Content session={session} rest={rest} />
}

/** Chooses the project that the pages are about, for a key that opens several. It stands in the address. */
function ProjectChoice({ session }: { readonly session: Session }) {
  const { params } = useLocation()
  const chosen = projectIn(params, session)
  const [only] = session.projects
  if (session.projects.length < 2)
    return only === undefined ? null : <span class="project-name">{only.name}</span>
  return (
    <label class="quiet-select">
      <span class="visually-hidden">Project</span>
      <select value={chosen ?? ''} onChange={(event) => setParams({ project: event.currentTarget.value })}>
        {session.projects.map(({ id, name }) => (
          <option key={id} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** What stands around every page: navigation, project, theme, and who is logged in. */
function Shell({
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
  // Where the window is narrow, the header is one row, and the rest of it opens below.
  const [menu, setMenu] = useState(false)
  const menuButton = useRef<HTMLButtonElement>(null)
  const [dialog, setDialog] = useState<ShownDialog>(null)
  const close = useCallback(() => setDialog(null), [])
  useEffect(() => {
    setMenu(false)
    setDialog(null)
  }, [path])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const goes = event.key === 'k' && (event.ctrlKey || event.metaKey)
      const asks = event.key === '?' && !isTyping(event) && !event.ctrlKey && !event.metaKey && !event.altKey
      if ((!goes && !asks) || document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      setDialog({ is: goes ? 'go' : 'keys' })
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  const shown = PAGES.filter((page) => page.inNavigation !== false && whyClosed(page, session) === null)
  const closeMenu = () => {
    setMenu(false)
    menuButton.current?.focus()
  }
  const header = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!menu) return
    const press = ({ target }: Event) => {
      if (!header.current?.contains(target as Node)) setMenu(false)
    }
    document.addEventListener('pointerdown', press)
    return () => document.removeEventListener('pointerdown', press)
  }, [menu])
  return (
    <SessionContext.Provider value={session}>
      <a class="skip-link" href="#content">
        Skip to the content
      </a>
      <header
        ref={header}
        class="shell-header"
        onKeyDown={(event) => {
          if (event.key === 'Escape' && menu) closeMenu()
        }}
      >
        <a class="shell-name" href="/">
          Daybook
        </a>
        <button
          ref={menuButton}
          type="button"
          class="shell-menu-button"
          aria-expanded={menu}
          aria-controls="shell-menu"
          aria-label={`Menu, at ${found?.page.title ?? 'no page'}`}
          onClick={() => setMenu(!menu)}
        >
          <span aria-hidden="true">☰</span> {found?.page.title ?? 'Menu'}
        </button>
        <div class="shell-doing">
          <button type="button" aria-keyshortcuts="Control+K Meta+K" onClick={() => setDialog({ is: 'go' })}>
            Go to …
          </button>
          {session.scopes.includes('write') && (
            <button type="button" onClick={() => setDialog({ is: 'add', text: '' })}>
              Add <span class="visually-hidden">a memory</span>
            </button>
          )}
        </div>
        <div id="shell-menu" class="shell-menu" data-open={menu ? '' : undefined}>
          <Navigation shown={shown} current={found?.page ?? null} />
          <div class="shell-choices">
            <ProjectChoice session={session} />
            <ThemeChoice />
            <button
              type="button"
              class="quiet"
              aria-keyshortcuts="?"
              onClick={() => setDialog({ is: 'keys' })}
            >
              Keyboard
            </button>
            <button
              type="button"
              class="quiet"
              onClick={onLogOut}
              title={`Logged in with the key "${session.key}"`}
            >
              Log out
            </button>
          </div>
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
      {dialog?.is === 'go' && (
        <GoTo pages={shown} onAdd={(text) => setDialog({ is: 'add', text })} onClose={close} />
      )}
      {dialog?.is === 'keys' && <KeysDialog onClose={close} />}
      {dialog?.is === 'add' && <AddMemory text={dialog.text} onClose={close} />}
    </SessionContext.Provider>
  )
}

/** Chooses between light, dark, and what the system says. */
function ThemeChoice() {
  const [theme, setTheme] = useState(readTheme)
  const choose = (chosen: Theme) => {
    chooseTheme(chosen)
    setTheme(chosen)
  }
  return (
    <label class="quiet-select">
      <span class="visually-hidden">Theme</span>
      <select value={theme} onChange={(event) => choose(event.currentTarget.value as Theme)}>
        <option value="system">System theme</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  )
}
