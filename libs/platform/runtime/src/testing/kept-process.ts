import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

/** A server for tests that goes with the process which started it, however that ends, `kill -9` included. */
export interface KeptProcess {
  /** Of the server itself, not of the shell that keeps it. */
  readonly pid: Promise<number>
  /** Whether the server has ended. */
  hasEnded(): boolean
  /** What the server wrote on both outputs, the beginning of it. */
  log(): string
  /** Ends the server and resolves when it has ended. */
  stop(): Promise<void>
}

const STOP_TIMEOUT_MS = 10_000
/** Only what a failed start says is of interest; reading on keeps the pipe from filling up. */
const KEPT_LOG = 10_000

/**
 * Keeps the server as long as standard input is open, then ends it by the signal ($1) and removes the folder ($2). A
 * server that ends by itself leaves its folder to whoever started it. Descriptor 3, since a shell gives its background
 * commands /dev/null as their standard input. The shell's own outputs
 * are closed early: it tells of a server that a signal ended, and to write to a reader that is gone would end it too.
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
 * @param signal the server's way of ending soon and in order, without SIG
 */
export function startKept(
  command: readonly string[],
  { folder, signal, ...options }: Pick<SpawnOptions, 'uid' | 'gid'> & { folder: string; signal: string },
): KeptProcess {
  const keeper = spawn('sh', ['-c', KEEPER, 'sh', signal, folder, ...command], {
    ...options,
    cwd: folder,
    // A session of its own: a Ctrl-C is ours to answer, after the suites let go of what they use.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let log = ''
  keeper.stderr.on('data', (chunk) => {
    if (log.length < KEPT_LOG) log += chunk
  })
  // A server that ends before we close the pipe breaks it; that is no error of ours.
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
  // `detached` made the keeper the leader of a group in which the server is too.
  const timer = setTimeout(
    () => keeper.pid !== undefined && process.kill(-keeper.pid, 'SIGKILL'),
    STOP_TIMEOUT_MS,
  )
  await ended
  clearTimeout(timer)
}
