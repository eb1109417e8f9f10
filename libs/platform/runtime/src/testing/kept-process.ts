import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

/** A server for tests that ends with the process that started it, however that ends, `kill -9` included. */
export interface KeptProcess {
  /** The process id of the server, not of the shell that watches it. */
  readonly pid: Promise<number>
  /** Whether the server has ended. */
  hasEnded(): boolean
  /** The beginning of what the server wrote to both outputs. */
  log(): string
  /** Ends the server; resolves when it has ended. */
  stop(): Promise<void>
}

/** Only a server that hangs takes so long. */
const STOP_TIMEOUT_MS = 240_000
/** Only the output of a failed start matters. Reading continues, so that the pipe does not fill up. */
const KEPT_LOG = 10_000

/**
 * Runs the server while standard input is open, then ends it with the signal ($1) and removes the folder
 * ($2). A server that ends by itself leaves its folder. Standard input moves to descriptor 3, because a shell
 * gives /dev/null to background commands. The shell closes its own outputs early: it reports a server that a
 * signal ended, and writing to a closed pipe would end the shell too.
 */
const KEEPER = `
  signal=$1; folder=$2; shift 2
  ended=
  exec 3<&0
  trap 'ended=1; kill -$signal $server' USR1
  "$@" 3<&- >&2 & server=$!
  echo $server
  exec >/dev/null 2>&1
  (cat <&3 >/dev/null; kill -USR1 $$) & waiter=$!
  wait $server
  [ -n "$ended" ] && wait $server
  kill $waiter 2>/dev/null
  [ -n "$ended" ] && rm -rf "$folder"
`

/**
 * Starts a server under a shell that ends it when we end.
 * @param folder removed once we are gone
 * @param signal the signal, without SIG, that makes the server end soon and cleanly
 */
export function startKept(
  command: readonly string[],
  { folder, signal, ...options }: Pick<SpawnOptions, 'uid' | 'gid'> & { folder: string; signal: string },
): KeptProcess {
  const keeper = spawn('sh', ['-c', KEEPER, 'sh', signal, folder, ...command], {
    ...options,
    cwd: folder,
    // Its own session: a Ctrl-C is for us, after the suites let go of what they use.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let log = ''
  keeper.stderr.on('data', (chunk) => {
    if (log.length < KEPT_LOG) log += chunk
  })
  // A server that ends before we close the pipe breaks it; that is not an error.
  keeper.stdin.on('error', () => {})
  const pid = new Promise<number>((resolve, reject) => {
    keeper.stdout.once('data', (line) => resolve(Number(line)))
    keeper.once('error', reject)
  })
  pid.catch(() => {})
  return {
    pid,
    hasEnded: () => keeper.exitCode !== null || keeper.signalCode !== null,
    log: () => log,
    stop: () => stop(keeper),
  }
}

async function stop(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return
  const ended = new Promise((resolve) => keeper.once('exit', resolve))
  keeper.stdin?.end()
  // `detached` made the keeper the leader of a process group that includes the server.
  const timer = setTimeout(
    () => keeper.pid !== undefined && process.kill(-keeper.pid, 'SIGKILL'),
    STOP_TIMEOUT_MS,
  )
  await ended
  clearTimeout(timer)
}
