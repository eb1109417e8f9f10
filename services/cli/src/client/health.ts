import { UnreachableError } from '../cli-error.ts'
import type { Connection } from '../settings.ts'
import { exchange } from './exchange.ts'
import { unreachable } from './unreachable.ts'

type Place = Pick<Connection, 'url' | 'dataDir'>

const TIMEOUT_MS = 10_000

async function getJson(place: Place, path: string): Promise<Record<string, unknown>> {
  try {
    const { status, text } = await exchange(`${place.url}${path}`, { timeoutMs: TIMEOUT_MS })
    const value: unknown = text.startsWith('{') ? JSON.parse(text) : null
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
    throw unreachable(place, null, `it answered ${path} with HTTP ${status} and no JSON object`)
  } catch (error) {
    throw error instanceof UnreachableError ? error : unreachable(place, error)
  }
}

/**
 * Checks that a Daybook runs at `place`.
 * @returns its version, null if it does not tell
 * @throws UnreachableError
 */
export async function readHealth(place: Place): Promise<{ version: string | null }> {
  const { status, version } = await getJson(place, '/health')
  if (status !== 'ok') throw unreachable(place, null, 'its /health does not say so')
  return { version: typeof version === 'string' ? version : null }
}

/** Whether a daemon can serve requests, as its `/ready` says. */
export interface DaemonReadiness {
  readonly ready: boolean
  /** Why it cannot. */
  readonly problems: readonly string[]
  /** What is missing while it serves. */
  readonly degraded: readonly string[]
}

/** Asks whether the daemon can serve requests now, and if not, why. @throws UnreachableError */
export async function readReadiness(place: Place): Promise<DaemonReadiness> {
  const { ready, problems, degraded } = await getJson(place, '/ready')
  return { ready: ready === true, problems: textsIn(problems), degraded: textsIn(degraded) }
}

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
