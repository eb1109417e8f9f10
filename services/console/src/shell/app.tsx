import { useCallback, useEffect, useState } from 'preact/hooks'
import { onSessionOver, useProject } from '../api/client.ts'
import { projectIn } from '../api/project.ts'
import { logOut, onSessionChanged, readSession, type Session } from '../api/session.ts'
import { ErrorNotice } from '../components/error-notice.tsx'
import { LoginPage } from '../login/login-page.tsx'
import { followLinks, navigate, useLocation } from '../router/location.ts'
import { Shell } from './shell.tsx'

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
