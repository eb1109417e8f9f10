import { pause } from '@daybook/runtime/backoff'
import { runCli } from '../cli/run-cli.ts'
import type { TestDaemon } from '../support/daemon.ts'

/** What a run left behind. */
export interface LeftBehind {
  /** Each body that was sent to the collector of traces. */
  readonly traces: readonly string[]
  /** What neither the log nor a trace may hold. */
  readonly hidden: readonly string[]
}

/** What is wrong with a daemon's log, its traces, its journals and its indexes, as sentences. */
export async function lookAfterwards(daemon: TestDaemon, { traces, hidden }: LeftBehind): Promise<string[]> {
  const faults: string[] = []
  if (traces.length === 0) faults.push('no traces were sent')
  for (const sent of traces)
    for (const text of hidden.filter((one) => sent.includes(one))) faults.push(`a trace has ${text}`)
  return [...faults, ...(await faultsOf(daemon, hidden))]
}

/**
 * What is wrong with a daemon's log, its journals and its indexes.
 * @param hidden what the log may not hold
 * @param mayPark whether events may be there that cannot be read
 */
export async function faultsOf(
  daemon: TestDaemon,
  hidden: readonly string[],
  mayPark = false,
): Promise<string[]> {
  const logged = daemon
    .log(Number.MAX_SAFE_INTEGER)
    .split('\n')
    // A copy that went back says so, because its index has to.
    .filter((line) => !(mayPark && line.includes('"msg":"DIVERGED: the projection')))
    .filter((line) => /"level":(?:50|60)/u.test(line) || hidden.some((text) => line.includes(text)))
  return [...logged.map((line) => `the daemon logged ${line}`), ...(await unsound(daemon, mayPark))]
}

/** After a promotion the relay has the former hash until its next round, so what is wrong must stay wrong. */
const LOOKS = 3
const BETWEEN_LOOKS_MS = 3_000

async function unsound(daemon: TestDaemon, mayPark: boolean): Promise<string[]> {
  for (let look = 1; ; look += 1) {
    const { exitCode, stdout, stderr } = await runCli(['verify', 'all', '--journal'], {
      DAYBOOK_URL: daemon.url() ?? '',
      DAYBOOK_DATA_DIR: daemon.dataDir,
    })
    if (exitCode === 0 || (mayPark && stdout.includes('unbroken') && !/\d problems?\b|differs/u.test(stdout)))
      return []
    if (look === LOOKS) return [`daybook verify all --journal ended with ${exitCode}: ${stdout}${stderr}`]
    await pause(BETWEEN_LOOKS_MS)
  }
}
