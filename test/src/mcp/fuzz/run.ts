import { pause } from '@daybook/runtime/backoff'
import { runCli } from '../../cli/run-cli.ts'
import { heapSize } from '../../fuzz/heap-size.ts'
import { createTenant } from '../../fuzz/tenants.ts'
import { createTestDaemon, type TestDaemon } from '../../support/daemon.ts'
import { createRandom, derivedSeed } from '../../support/random.ts'
import { checkJournal } from './check-journal.ts'
import { freePort } from './free-port.ts'
import { type CallResult, type Ended, faultOf, faultOfRead, note } from './judge.ts'
import { createLedger } from './ledger.ts'
import { connectAll, OTHER, OWN, type Player } from './players.ts'
import { randomCall } from './random-call.ts'
import { randomRead } from './random-read.ts'

/** The options of a run. */
export interface McpFuzzOptions {
  /** How long clients call, in seconds. */
  readonly seconds: number
  /** How often the daemon is killed meanwhile, in the first two thirds. */
  readonly kills: number
  /** Decides what is called. When a kill hits is up to the machine, so no run repeats exactly. */
  readonly seed: number
  /** Called with a line now and then. */
  readonly report?: (line: string) => void
}

/** The result of a run. */
export interface McpFuzzRun {
  readonly calls: number
  /** Calls that a tool has answered without an error. */
  readonly succeeded: number
  /** Writes that clients were told of. */
  readonly told: number
  readonly kills: number
  /** What must not be. */
  readonly faults: readonly string[]
  /** Least bytes of the daemon's heap in each part of the last third, when nothing is killed. */
  readonly heap: readonly number[]
  /** Resident bytes of each process over stdio, at its first calls and at the end. */
  readonly memory: Readonly<Record<string, readonly [first: number, last: number]>>
}

const FAULTS_NAMED = 20
/** How many of the requests read a resource or prompt. */
const READS = 0.1
/** Parts of the quiet end, in each of which the heap is looked at. */
const PARTS = 5
/** How much the heap may grow from the second quiet part to the last, and a process over stdio after its first minute. */
const GROWTH_MOST = 1.35
/** Before, caches fill: milliseconds. */
const WARM_UP_MS = 60_000

/**
 * Random calls of every tool from clients with several keys over both transports, while the daemon is killed and started again. What a
 * client was told must be in the journal once, no answer may show another project, every refusal must say what is wrong, and
 * nothing may grow.
 */
export async function runMcpFuzz(options: McpFuzzOptions): Promise<McpFuzzRun> {
  const port = await freePort()
  const daemon = createTestDaemon(undefined, {
    environment: {
      DAYBOOK_PORT: String(port),
      // The keys' budgets would refuse most calls.
      DAYBOOK_COST_PER_SECOND: '100000000',
      DAYBOOK_COST_SAVED: '100000000',
      // It collects garbage often, so what is left shows what is kept.
      NODE_OPTIONS: '--max-old-space-size=200 --max-semi-space-size=4',
    },
  })
  try {
    await daemon.start()
    return await play(daemon, `http://127.0.0.1:${port}`, options)
  } finally {
    await daemon.remove()
  }
}

async function play(
  daemon: TestDaemon,
  url: string,
  { seconds, kills, seed, report = () => {} }: McpFuzzOptions,
): Promise<McpFuzzRun> {
  const [own, other] = [await createTenant(daemon, OWN), await createTenant(daemon, OTHER)]
  const ledgers = { own: createLedger(), other: createLedger() }
  const players = await connectAll(daemon, url, { own, other }, ledgers)
  const ids = [own, other].flatMap((tenant) => tenant.ids)
  const faults: string[] = []
  const counts = { calls: 0, succeeded: 0, marks: 0 }
  let awaySince = Number.POSITIVE_INFINITY
  let backAt = 0
  const started = Date.now()
  const endAt = started + seconds * 1_000
  const first = new Map<string, number>()

  async function attempt<Result>(work: () => Promise<Result>): Promise<Ended<Result>> {
    const calledAt = Date.now()
    try {
      return { result: await work() }
    } catch (error) {
      // It was away when the call began, or went away before its end.
      return { error, wasAway: calledAt <= backAt || awaySince !== Number.POSITIVE_INFINITY }
    }
  }
  const ask = ({ fuzz }: Player, name: string, given: Record<string, unknown>): Promise<Ended> =>
    attempt(async () => (await fuzz.client.callTool({ name, arguments: given })) as CallResult)

  async function playOne(player: Player, at: number): Promise<void> {
    const random = createRandom(derivedSeed(seed, at))
    const { ledger, tenant, marker, fuzz } = player
    const known = [...ids]
    const world = {
      random,
      ids: known,
      projects: [own.projectId, other.projectId, 'default'],
      marker,
      newMark: () => `mark${at}x${(counts.marks += 1)}`,
    }
    while (Date.now() < endAt && faults.length < FAULTS_NAMED) {
      if (random.chance(READS)) {
        const read = randomRead(random, known)
        counts.calls += 1
        const fault = faultOfRead(await attempt(() => read.do(fuzz.client)), player.hidden)
        if (fault !== null) faults.push(`${fuzz.name}, ${read.what.slice(0, 300)}: ${fault}`)
        continue
      }
      const call = randomCall(world)
      let ended = await ask(player, call.name, call.arguments)
      // A client that got no answer sends the same key again.
      for (let again = 0; 'error' in ended && ended.wasAway && call.repeatable && again < 20; again += 1) {
        await pause(500)
        ended = await ask(player, call.name, call.arguments)
      }
      counts.calls += 1
      if ('result' in ended && ended.result.isError !== true) counts.succeeded += 1
      const fault = faultOf(call, ended, player.hidden)
      if (fault !== null)
        faults.push(`${fuzz.name}, ${call.name} ${JSON.stringify(call.arguments).slice(0, 300)}: ${fault}`)
      note(ledger, call, ended)
      const newest = ledger.told.at(-1)?.memoryId
      if (newest !== undefined && tenant.ids.length > 0 && random.chance(0.2))
        known.splice(random.between(0, known.length - 1), 1, newest)
      const memory = fuzz.memory()
      if (memory !== null && (!first.has(fuzz.name) || Date.now() < started + WARM_UP_MS))
        first.set(fuzz.name, memory)
      if ('error' in ended) await pause(100)
    }
  }

  async function killAgainAndAgain(): Promise<void> {
    for (let kill = 1; kill <= kills; kill += 1) {
      await pause(Math.max(0, started + (kill * seconds * 1_000 * 2) / 3 / (kills + 1) - Date.now()))
      awaySince = Date.now()
      await daemon.kill()
      await daemon.start()
      backAt = Date.now()
      awaySince = Number.POSITIVE_INFINITY
      report(
        `kill ${kill}: back after ${((backAt - started) / 1_000).toFixed(0)} s of the run; ${counts.calls} calls, ${faults.length} faults`,
      )
    }
  }

  const heap: number[] = []
  async function lookAtHeap(): Promise<void> {
    const from = started + (seconds * 1_000 * 2) / 3
    await pause(from - Date.now())
    for (let part = 1; part <= PARTS; part += 1) {
      let least = Number.POSITIVE_INFINITY
      for (const until = from + ((endAt - from) * part) / PARTS; Date.now() < until; await pause(250))
        least = Math.min(least, (await heapSize(url)) ?? least)
      heap.push(least)
    }
  }

  await Promise.all([...players.map(playOne), killAgainAndAgain(), lookAtHeap()])
  const memory = Object.fromEntries(
    players.flatMap(({ fuzz }) => {
      const [before, now] = [first.get(fuzz.name), fuzz.memory()]
      return before === undefined || now === null ? [] : [[fuzz.name, [before, now] as const]]
    }),
  )
  const long = seconds * 1_000 > 3 * WARM_UP_MS
  if (long && (heap.at(-1) ?? 0) > GROWTH_MOST * (heap[1] ?? Number.POSITIVE_INFINITY))
    faults.push(`the daemon's heap grew: ${heap.join(', ')} bytes`)
  for (const [name, [before, now]] of Object.entries(memory))
    if (long && now > GROWTH_MOST * before) faults.push(`${name} grew from ${before} to ${now} bytes`)
  for (const { fuzz } of players) {
    if (/unhandled|\n\s+at /iu.test(fuzz.stderr()))
      faults.push(`${fuzz.name} said ${fuzz.stderr().slice(0, 2_000)}`)
    await fuzz.client.close()
  }
  for (const [tenant, ledger] of [
    [own, ledgers.own],
    [other, ledgers.other],
  ] as const)
    faults.push(...(await checkJournal({ url, apiKey: tenant.key }, ledger)))
  faults.push(...(await lookAfterwards(daemon)))
  const told = ledgers.own.told.length + ledgers.other.told.length
  return {
    calls: counts.calls,
    succeeded: counts.succeeded,
    told,
    kills,
    faults: faults.slice(0, FAULTS_NAMED),
    heap,
    memory,
  }
}

/** What is wrong with the daemon's log, its journals and its indexes. */
async function lookAfterwards(daemon: TestDaemon): Promise<string[]> {
  const faults = daemon
    .log(Number.MAX_SAFE_INTEGER)
    .split('\n')
    .filter((line) => /"level":(?:50|60)|unhandled/iu.test(line))
    .map((line) => `the daemon logged ${line.slice(0, 1_000)}`)
  const { exitCode, stdout, stderr } = await runCli(['verify', 'all', '--journal'], {
    DAYBOOK_URL: daemon.url() ?? '',
    DAYBOOK_DATA_DIR: daemon.dataDir,
  })
  return exitCode === 0
    ? faults
    : [...faults, `daybook verify all --journal ended with ${exitCode}: ${stdout}${stderr}`]
}
