import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTestDaemon, type TestDaemon } from '../../support/daemon.ts'

/** A daemon of the run, which dies and comes back. */
export interface ChaosNode {
  readonly index: number
  readonly daemon: TestDaemon
  /** How often it has gone away. What was asked before and answered after a change may have failed for that. */
  readonly outages: number
  /** Whether it runs, and is not being stopped. */
  readonly up: boolean
  /** Starts it unless it runs. @throws DaemonDidNotStart */
  start(): Promise<void>
  /** `kill -9`. */
  kill(): Promise<void>
  /** SIGTERM. @throws Error if it does not end by itself */
  stop(): Promise<void>
  apiKey(): string
}

/**
 * Creates one; it is not running yet.
 * @param names `host:port` under which others reach it
 * @param onStarted called with its port whenever it has started
 */
export function createChaosNode(
  index: number,
  names: readonly string[],
  onStarted: (port: number) => void,
): ChaosNode {
  const daemon = createTestDaemon(undefined, {
    environment: { DAYBOOK_ALLOWED_HOSTS: names.join(','), DAYBOOK_NEXT_HOMES: '127.0.0.1' },
  })
  let outages = 0
  let up = false
  // Two faults may meet at one daemon: then one starts it, and the other finds it running.
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = turn.then(work)
    turn = done.catch(() => {})
    return done
  }
  return {
    index,
    daemon,
    get outages() {
      return outages
    },
    get up() {
      return up
    },
    start: () =>
      inTurn(async () => {
        if (daemon.running()) return
        await daemon.start()
        onStarted(Number(new URL(daemon.url() ?? '').port))
        up = true
      }),
    kill: () =>
      inTurn(async () => {
        outages += 1
        up = false
        await daemon.kill()
      }),
    stop: () =>
      inTurn(async () => {
        outages += 1
        up = false
        const code = await daemon.stop()
        if (code !== 0) throw new Error(`daemon ${index} ended with ${code} after SIGTERM\n${daemon.log()}`)
      }),
    apiKey: () => readFileSync(join(daemon.dataDir, 'api-key'), 'utf8').trim(),
  }
}
