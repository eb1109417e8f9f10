import { DaybookClientError } from '@daybook/client/client-error'
import { parseAnswer, readRefusal } from '@daybook/client/http/request'

/** Who is logged in. */
export interface Session {
  /** The key's name. */
  readonly key: string
  readonly scopes: readonly ('read' | 'write' | 'follow' | 'admin')[]
  /** Whether the key runs the whole Daybook. */
  readonly wholeDaybook: boolean
  /** What the key opens. */
  readonly projects: readonly { readonly id: string; readonly name: string }[]
  /** RFC 3339. */
  readonly expiresAt: string
}

const ask = (method: string, body?: object): Promise<Response> =>
  fetch('/console/session', {
    method,
    // Only the console's own page can add this header.
    headers: { 'x-daybook-console': '1', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })

/** Who is logged in; null if nobody is. @throws DaybookClientError */
export async function readSession(): Promise<Session | null> {
  const response = await ask('GET')
  if (!response.ok) throw await refusalIn(response)
  return ((await response.json()) as { readonly session: Session | null }).session
}

/**
 * Logs in. The session is in a cookie that scripts cannot read; the key is kept nowhere.
 * @param shown what opens it: the token of a login link, or a key
 * @throws DaybookClientError UNAUTHENTICATED with the reason
 */
export async function logIn(shown: { readonly token: string } | { readonly key: string }): Promise<void> {
  const response = await ask('POST', shown)
  if (!response.ok) throw await refusalIn(response)
}

/** Logs out, here and at the gateway. @throws DaybookClientError */
export async function logOut(): Promise<void> {
  const response = await ask('DELETE')
  if (!response.ok) throw await refusalIn(response)
}

const whenChanged = new Set<() => void>()

/** Calls back when what the session's key opens may have changed. @returns a function that ends that */
export function onSessionChanged(tell: () => void): () => void {
  whenChanged.add(tell)
  return () => void whenChanged.delete(tell)
}

/** Says that it may have changed: a project was made, renamed or deleted. */
export function sessionChanged(): void {
  for (const tell of whenChanged) tell()
}

async function refusalIn(response: Response): Promise<DaybookClientError> {
  const answer = parseAnswer(await response.text())
  const { code, message, ...reason } = readRefusal(answer?.errors ?? [], response.status)
  return new DaybookClientError(
    code,
    message === '' ? `Daybook answered with HTTP ${response.status}` : message,
    reason,
  )
}
