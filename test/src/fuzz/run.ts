import { sample } from 'fast-check'
import { startCollector } from '../observability/collector.ts'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { type FuzzRequest, fuzzRequest } from './fuzz-request.ts'
import { heapSize } from './heap-size.ts'
import { lookAfterwards } from './look-afterwards.ts'
import { type Answer, faultOf, send } from './send.ts'
import { createTenant, seen } from './tenants.ts'

/** The options of a fuzz run. */
export interface FuzzRunOptions {
  readonly requests: number
  /** Decides which requests are sent. */
  readonly seed: number
  /** Called with one line per tenth of the run. */
  readonly report?: (line: string) => void
}

/** The result of a fuzz run. */
export interface FuzzRun {
  readonly requests: number
  /** How many answers had each status; `none` where the connection was closed. */
  readonly statuses: Readonly<Record<string, number>>
  /** What must not be, each with the request that showed it. */
  readonly faults: readonly string[]
  /** Least bytes of heap in each tenth of the run. */
  readonly heap: readonly number[]
}

/** In every text of a project that the requests' key does not open. */
const MARKER = 'quartzkestrel'
/** In what the key's own project holds before the run. */
const OWN_MARKER = 'basaltheron'
const CLIENTS = 4
const STEPS = 10
/** Requests of a client between two looks at the heap. */
const SENT_A_LOOK = 25
const FAULTS_NAMED = 20
/** After fewer requests the heap still grows as caches fill. */
const FILLS_CACHES = 10_000
/** Some 1.02 in 60,000 requests; 1.5 where each kept 900 bytes. */
const GROWTH_MOST = 1.25

/**
 * Sends random and mutated GraphQL and HTTP requests to a real daemon, with a key that has all scopes in one
 * project. No answer may be a fault of ours, none may show another project, the daemon must neither end nor grow,
 * nor tell its log or traces a key or a memory, and its journal and indexes must be sound at the end.
 */
export async function runFuzz({ requests, seed, report = () => {} }: FuzzRunOptions): Promise<FuzzRun> {
  const collector = await startCollector()
  const daemon = createTestDaemon(undefined, {
    // The key's budget would refuse most of them.
    environment: {
      DAYBOOK_COST_PER_SECOND: '100000000',
      DAYBOOK_COST_SAVED: '100000000',
      LOG_LEVEL: 'trace',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      // Twice what it needs. It collects garbage often, so what is left shows what is kept.
      NODE_OPTIONS: '--max-old-space-size=160 --max-semi-space-size=4',
    },
  })
  try {
    await daemon.start()
    return await fuzzDaemon(daemon, collector.bodies, { requests, seed, report })
  } finally {
    await daemon.remove()
    collector.stop()
  }
}

async function fuzzDaemon(
  daemon: TestDaemon,
  traces: readonly string[],
  { requests, seed, report }: Required<FuzzRunOptions>,
): Promise<FuzzRun> {
  const url = daemon.url() ?? ''
  const pid = daemon.pid()
  const other = await createTenant(daemon, MARKER)
  const own = await createTenant(daemon, OWN_MARKER)
  const before = await seen(daemon, other)
  const ids = [other.projectId, other.keyId, ...other.ids, ...own.ids]
  const known = { host: new URL(url).host, key: own.key, ids }
  const counts = new Map<string, number>()
  const faults: string[] = []
  const heaps: number[] = []
  for (let step = 0; step < STEPS && daemon.pid() === pid; step += 1) {
    const numRuns = Math.ceil((requests * (step + 1)) / STEPS) - Math.ceil((requests * step) / STEPS)
    if (numRuns === 0) continue
    const heap = await sendAll(
      { url, key: own.key, queue: sample(fuzzRequest(known), { numRuns, seed: seed + step }) },
      (request, answer) => {
        counts.set(`${answer.status ?? 'none'}`, (counts.get(`${answer.status ?? 'none'}`) ?? 0) + 1)
        const fault = faultOf(answer, MARKER)
        if (fault !== null) faults.push(`${fault}: ${JSON.stringify(request).slice(0, 2_000)}`)
      },
    )
    heaps.push(heap)
    report(`${((step + 1) / STEPS) * 100} %: heap ${megabytes(heap)} MB, ${faults.length} faults`)
  }
  const run = () => ({
    requests,
    statuses: Object.fromEntries([...counts].toSorted()),
    faults: faults.slice(0, FAULTS_NAMED),
    heap: heaps,
  })
  if (daemon.pid() !== pid) {
    faults.unshift(`the daemon ended: ${daemon.log()}`)
    return run()
  }
  if (requests >= FILLS_CACHES && grew(heaps))
    faults.push(`the heap grew: ${heaps.map(megabytes).join(', ')} MB`)
  if (JSON.stringify(await seen(daemon, other)) !== JSON.stringify(before))
    faults.push('the other project is not what it was')
  const hidden = [MARKER, OWN_MARKER, own.key, other.key]
  faults.push(...(await lookAfterwards(daemon, { traces, hidden })))
  return run()
}

/** Sends all requests of a queue, several at a time. @returns the least size of the heap meanwhile, in bytes */
async function sendAll(
  { url, key, queue }: { readonly url: string; readonly key: string; readonly queue: FuzzRequest[] },
  note: (request: FuzzRequest, answer: Answer) => void,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  const client = async () => {
    for (let sent = 0; ; sent += 1) {
      const request = queue.pop()
      if (request === undefined) return
      note(request, await send(url, key, request))
      if (sent % SENT_A_LOOK === 0) least = Math.min(least, (await heapSize(url)) ?? least)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return least
}

/** Whether the last tenth of a run kept far more than the third, when all caches were full. */
const grew = (heaps: readonly number[]): boolean =>
  (heaps.at(-1) ?? 0) > GROWTH_MOST * (heaps[2] ?? Number.POSITIVE_INFINITY)

const megabytes = (bytes: number) => (bytes / 1024 ** 2).toFixed(0)
