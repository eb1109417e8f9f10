import { createTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { heapSize } from '../heap-size.ts'
import { faultsOf } from '../look-afterwards.ts'
import type { Answer } from '../send.ts'
import { createTenant, seen, type Tenant } from '../tenants.ts'
import { askFalsely } from './false-followers.ts'
import { answerFalsely } from './false-homes.ts'
import { recordExchanges } from './recording.ts'

/** The options of a run. */
export interface SyncFuzzOptions {
  /** Questions of false followers to a home. */
  readonly followers: number
  /** Answers of false homes to a follower. */
  readonly homes: number
  readonly seed: number
  readonly report?: (line: string) => void
}

/** The result of a run. */
export interface SyncFuzzRun {
  /** How often a home answered false followers with each status. */
  readonly statuses: Readonly<Record<string, number>>
  /** What must not be. */
  readonly faults: readonly string[]
}

/** In every text of projects that nobody may see. */
const MARKER = 'quartzkestrel'
const OWN_MARKER = 'basaltheron'
const FAULTS_NAMED = 20
/** Bytes by which the heap may grow. */
const GROWTH_MOST = 200 * 1024 * 1024
const SENT_A_LOOK = 25

/**
 * Records what a follower and its home say to each other, and sends mutations of that: questions of false followers to the home,
 * and answers of false homes to the follower. Neither may end, grow, answer with a fault of ours, or show another project;
 * all their journals must verify afterwards.
 */
export async function runSyncFuzz(options: SyncFuzzOptions): Promise<SyncFuzzRun> {
  const settings = {
    environment: {
      DAYBOOK_COST_PER_SECOND: '100000000',
      DAYBOOK_COST_SAVED: '100000000',
      // It collects garbage often, so that what is left shows what is kept; and ends if it grows beyond what it may.
      NODE_OPTIONS: '--max-old-space-size=300 --max-semi-space-size=4',
    },
  }
  const home = createTestDaemon(undefined, settings)
  const follower = createTestDaemon(undefined, settings)
  try {
    await Promise.all([home.start(), follower.start()])
    return await fuzz(home, follower, options)
  } finally {
    await Promise.all([home.remove(), follower.remove()])
  }
}

async function fuzz(
  home: TestDaemon,
  follower: TestDaemon,
  { followers, homes, seed, report = () => {} }: SyncFuzzOptions,
): Promise<SyncFuzzRun> {
  const own = await createTenant(home, OWN_MARKER)
  const exchanges = await recordExchanges(home, follower, own)
  const statuses = new Map<string, number>()
  const asked = await watched(home, async (other, onAnswer) => {
    const ids = [other.projectId, other.keyId, ...other.ids, ...own.ids]
    const known = {
      url: home.url() ?? '',
      key: own.key,
      project: own.projectId,
      exchanges,
      ids,
      marker: MARKER,
    }
    await askFalsely(known, { count: followers, seed }, (answer, fault) => {
      const status = String(answer.status ?? 'none')
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      return onAnswer(answer, fault)
    })
  })
  report(`${followers} questions of false followers: ${asked.grown}, ${asked.faults.length} kinds of faults`)
  const answered = await watched(follower, (other, onAnswer) =>
    answerFalsely(
      { follower, exchanges, ids: [other.projectId, ...other.ids], marker: MARKER },
      { count: homes, seed },
      onAnswer,
    ),
  )
  report(`${homes} answers of false homes: ${answered.grown}, ${answered.faults.length} kinds of faults`)
  const faults = [asked, answered].flatMap((one) => one.faults.slice(0, FAULTS_NAMED))
  return { statuses: Object.fromEntries([...statuses].toSorted()), faults }
}

/** What something came to that was done to a daemon. */
interface Watched {
  /** How much its heap grew, as a sentence. */
  readonly grown: string
  /** One of each kind. */
  readonly faults: readonly string[]
}

/** Does something to a daemon, and looks after it. */
async function watched(
  daemon: TestDaemon,
  work: (
    other: Tenant,
    onAnswer: (answer: Answer, fault: string | null) => Promise<boolean>,
  ) => Promise<void>,
): Promise<Watched> {
  const faults: string[] = []
  const url = daemon.url() ?? ''
  const pid = daemon.pid()
  const other = await createTenant(daemon, MARKER)
  const looked = async () => JSON.stringify(await seen(daemon, other))
  const before = await looked()
  const first = (await heapSize(url)) ?? 0
  let most = first
  let count = 0
  await work(other, async (_, fault) => {
    if (fault !== null) faults.push(fault)
    count += 1
    if (count % SENT_A_LOOK === 0) most = Math.max(most, (await heapSize(url)) ?? 0)
    return daemon.pid() === pid
  })
  const grown = `the heap grew by ${((most - first) / 1024 ** 2).toFixed(0)} MB at most`
  if (daemon.pid() !== pid)
    return { grown, faults: [`the daemon ended: ${daemon.log()}`, ...ofEachKind(faults)] }
  if (most - first > GROWTH_MOST) faults.push(grown)
  const after = await looked()
  if (after !== before) faults.push(`the other project was ${before} and is ${after}`)
  faults.push(...(await faultsOf(daemon, [MARKER], true)), ...untyped(daemon))
  return { grown, faults: ofEachKind(faults) }
}

/** Failures of sync that nobody foresaw, which the log tells for operators. */
function untyped(daemon: TestDaemon): string[] {
  return daemon
    .log(Number.MAX_SAFE_INTEGER)
    .split('\n')
    .filter((line) => /no connection to its home|could not be sent|following a project failed/u.test(line))
    .filter((line) => /"error":\{"type":"(?:Type|Range|Syntax|Reference|Database)?Error"/u.test(line))
    .map((line) => `sync met what it does not know: ${line}`)
}

/** The first of those that differ only in ids and numbers. */
function ofEachKind(faults: readonly string[]): string[] {
  const kindOf = (fault: string) =>
    fault.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+|:\/\/\S+/gu, '').slice(0, 230)
  return [...new Map(faults.toReversed().map((fault) => [kindOf(fault), fault])).values()].toReversed()
}
