import { rawRequest, statusOf } from '@daybook/runtime/testing/raw-http'
import { sample } from 'fast-check'
import { runCli } from '../cli/run-cli.ts'
import { startCollector } from '../observability/collector.ts'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { type FuzzRequest, fuzzRequest } from './fuzz-request.ts'
import { type HeapSamples, sampleHeap } from './memory-use.ts'
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

interface Answer {
  readonly status: number | null
  readonly text: string
}

/** In every text of a project that the requests' key does not open. */
const MARKER = 'quartzkestrel'
/** In what the key's own project holds before the run. */
const OWN_MARKER = 'basaltheron'
const CLIENTS = 4
const STEPS = 10
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
  const known = {
    host: new URL(url).host,
    key: own.key,
    ids: [other.projectId, other.keyId, ...other.ids, ...own.ids],
  }
  const heap = sampleHeap(url)
  const counts = new Map<string, number>()
  const faults: string[] = []
  const heaps: number[] = []
  for (let step = 0; step < STEPS; step += 1) {
    const numRuns = Math.ceil((requests * (step + 1)) / STEPS) - Math.ceil((requests * step) / STEPS)
    if (numRuns === 0) continue
    const queue = sample(fuzzRequest(known), { numRuns, seed: seed + step })
    const note = (request: FuzzRequest, { status, text }: Answer) => {
      counts.set(`${status ?? 'none'}`, (counts.get(`${status ?? 'none'}`) ?? 0) + 1)
      const fault = faultOf(status, text)
      if (fault !== null) faults.push(`${fault}: ${JSON.stringify(request).slice(0, 2_000)}`)
    }
    await Promise.all(Array.from({ length: CLIENTS }, () => client({ url, key: own.key, queue, heap, note })))
    if (daemon.pid() !== pid) {
      faults.push(`the daemon ended: ${daemon.log()}`)
      break
    }
    heaps.push(heap.least())
    report(
      `${Math.round(((step + 1) / STEPS) * 100)} %: heap ${megabytes(heaps.at(-1) ?? 0)} MB, ${faults.length} faults`,
    )
  }
  if (requests >= FILLS_CACHES && grew(heaps))
    faults.push(`the heap grew: ${heaps.map(megabytes).join(', ')} MB`)
  if (JSON.stringify(await seen(daemon, other)) !== JSON.stringify(before))
    faults.push('the other project is not what it was')
  const hidden = [MARKER, OWN_MARKER, own.key, other.key]
  for (const line of daemon.log(Number.MAX_SAFE_INTEGER).split('\n'))
    if (/"level":(?:50|60)/u.test(line) || hidden.some((text) => line.includes(text)))
      faults.push(`the daemon logged ${line}`)
  if (traces.length === 0) faults.push('no traces were sent')
  for (const sent of traces)
    for (const text of hidden.filter((one) => sent.includes(one))) faults.push(`a trace has ${text}`)
  faults.push(...(await unsound(daemon)))
  return {
    requests,
    statuses: Object.fromEntries([...counts].toSorted()),
    faults: faults.slice(0, FAULTS_NAMED),
    heap: heaps,
  }
}

/** Whether the last tenth of a run kept far more than the third, when all caches were full. */
const grew = (heaps: readonly number[]): boolean =>
  (heaps.at(-1) ?? 0) > GROWTH_MOST * (heaps[2] ?? Number.POSITIVE_INFINITY)

const megabytes = (bytes: number) => (bytes / 1024 ** 2).toFixed(0)

function faultOf(status: number | null, text: string): string | null {
  if (status === 500) return `answered with 500: ${text.slice(0, 500)}`
  if (text.includes('"INTERNAL"')) return `answered with an error of ours: ${text.slice(0, 500)}`
  if (text.toLowerCase().includes(MARKER)) return `showed another project: ${text.slice(0, 500)}`
  return null
}

async function client({
  url,
  key,
  queue,
  heap,
  note,
}: {
  readonly url: string
  readonly key: string
  readonly queue: FuzzRequest[]
  readonly heap: HeapSamples
  readonly note: (request: FuzzRequest, answer: Answer) => void
}): Promise<void> {
  for (let sent = 0; ; sent += 1) {
    const request = queue.pop()
    if (request === undefined) break
    note(
      request,
      await send(url, key, request).catch((error: Error) => ({ status: null, text: `${error.message}` })),
    )
    if (sent % 25 === 0) await heap.take()
  }
}

async function send(url: string, key: string, request: FuzzRequest): Promise<Answer> {
  if (request.kind === 'raw') {
    const text = await rawRequest(url, request.bytes, 400)
    return { status: statusOf(text), text }
  }
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': request.contentType },
    body: request.body,
  })
  return { status: response.status, text: await response.text() }
}

/** What `daybook verify` says of the journals and the indexes, where they are not sound. */
async function unsound(daemon: TestDaemon): Promise<string[]> {
  const { exitCode, stdout, stderr } = await runCli(['verify', 'all', '--journal'], {
    DAYBOOK_URL: daemon.url() ?? '',
    DAYBOOK_DATA_DIR: daemon.dataDir,
  })
  return exitCode === 0 ? [] : [`daybook verify all --journal ended with ${exitCode}: ${stdout}${stderr}`]
}
