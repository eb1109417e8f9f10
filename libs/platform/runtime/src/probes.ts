import type { ServerResponse } from 'node:http'
import type { ServiceMetrics } from './metrics.ts'
import { reasonOf } from './reason-of.ts'
import { withTimeout } from './timers.ts'
import { describeRejections } from './unhandled-rejections.ts'
import { VERSION } from './version.ts'

/** Whether a service can do its work now, and if not, why. */
export interface Readiness {
  readonly ready: boolean
  readonly problems: readonly string[]
  /** What is missing, while it does its work all the same. Default nothing. */
  readonly degraded?: readonly string[]
}

/** What the probes of a service check. */
export interface Probes {
  ready(): Promise<Readiness>
  readonly metrics: Pick<ServiceMetrics, 'contentType' | 'text'> | null
}

/**
 * Answers `/health` (the process lives: 200), `/ready` (200, or 503 with the problems) and `/metrics`
 * (Prometheus' text format). They need no key: they show counts, times and which part is unavailable, never
 * memories or whose they are.
 * @returns false for any other path, which the caller must answer
 */
export async function answerProbe(path: string, response: ServerResponse, probes: Probes): Promise<boolean> {
  if (path === '/health') {
    sendJson(response, 200, { status: 'ok', version: VERSION })
    return true
  }
  if (path === '/ready') {
    const { ready, problems, degraded = [] } = await lookInTime(probes).catch(unready)
    sendJson(response, ready ? 200 : 503, {
      ready,
      problems,
      degraded: [...degraded, ...describeRejections()],
    })
    return true
  }
  if (path === '/metrics' && probes.metrics !== null) {
    const text = await probes.metrics.text()
    response.writeHead(200, { 'content-type': probes.metrics.contentType }).end(text)
    return true
  }
  return false
}

/** Milliseconds that `/ready` may take: whoever asks gives up after 2 to 3 s, and would not be told why. */
const READY_MS = 1_800

/** The looks that have not ended. While the database hangs, a look for each request would take all its connections. */
const looks = new WeakMap<Probes, Promise<Readiness>>()

/** @throws UnavailableError if the look takes too long */
function lookInTime(probes: Probes): Promise<Readiness> {
  const look = looks.get(probes) ?? probes.ready().finally(() => looks.delete(probes))
  looks.set(probes, look)
  return withTimeout(READY_MS, look, 'the database does not answer')
}

function unready(error: unknown): Readiness {
  return { ready: false, problems: [reasonOf(error)] }
}

/** Answers with a JSON body. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(`${JSON.stringify(body)}\n`)
}
