import { useEffect, useState } from 'preact/hooks'
import { logIn } from '../api/session.ts'
import { ErrorNotice } from '../components/error-notice.tsx'

/** Lets somebody in: with the token of the address, else with a key that is pasted here. */
export function LoginPage({ reason, onLoggedIn }: { readonly reason: string | null; onLoggedIn(): void }) {
  const [failure, setFailure] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const open = async (shown: Parameters<typeof logIn>[0]) => {
    setBusy(true)
    setFailure(null)
    try {
      await logIn(shown)
      onLoggedIn()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }
  useEffect(() => {
    document.title = 'Log in · Daybook'
    const token = takeToken()
    if (token !== null) void open({ token })
  }, [])
  return (
    <main class="login" id="content">
      <h1>Daybook</h1>
      {reason !== null && <p role="status">{reason}</p>}
      {failure !== null && <ErrorNotice error={failure} />}
      <p>
        The easiest way in is a link that works once: run <code>daybook console</code> where the daemon runs.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const key = String(new FormData(event.currentTarget).get('key') ?? '').trim()
          if (key !== '') void open({ key })
        }}
      >
        <label for="key">Or paste an API key</label>
        <input
          id="key"
          name="key"
          type="password"
          autocomplete="off"
          spellcheck={false}
          placeholder="dbk_…"
          required
        />
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Logging in …' : 'Log in'}
        </button>
        <p class="muted">
          The first start of the daemon wrote one to <code>&lt;data folder&gt;/api-key</code>, as a rule{' '}
          <code>.daybook/api-key</code>. It is exchanged for a session, and kept nowhere.
        </p>
      </form>
    </main>
  )
}

/**
 * The token of a login link, which is in the address's fragment, and takes it out of the address and the browser's list of
 * pages. Null if there is none.
 */
function takeToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  return token
}
