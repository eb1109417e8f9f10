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
  for (const line of daemon.log(Number.MAX_SAFE_INTEGER).split('\n'))
    if (/"level":(?:50|60)/u.test(line) || hidden.some((text) => line.includes(text)))
      faults.push(`the daemon logged ${line}`)
  if (traces.length === 0) faults.push('no traces were sent')
  for (const sent of traces)
    for (const text of hidden.filter((one) => sent.includes(one))) faults.push(`a trace has ${text}`)
  return [...faults, ...(await unsound(daemon))]
}

async function unsound(daemon: TestDaemon): Promise<string[]> {
  const { exitCode, stdout, stderr } = await runCli(['verify', 'all', '--journal'], {
    DAYBOOK_URL: daemon.url() ?? '',
    DAYBOOK_DATA_DIR: daemon.dataDir,
  })
  return exitCode === 0 ? [] : [`daybook verify all --journal ended with ${exitCode}: ${stdout}${stderr}`]
}
