import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { startDaemon } from '@daybook/daemon/start-daemon'
import { createShutdown } from '@daybook/process/run-process'
import { readConfig } from '@daybook/runtime/config'
import { silentLogger } from '@daybook/runtime/logger'
import { ALWAYS_ACTIVE } from '@daybook/runtime/loop'

/*
 * Runs the daemon in a separate process that samples its event loop. In the same process, the sender's work
 * would count too.
 */

/** A request of the parent. Each is answered with a `SampledMessage`. */
export type SampleRequest = 'sample' | 'finish' | 'stop'
/** A message to the parent. */
export type SampledMessage =
  | { readonly type: 'ready'; readonly url: string; readonly apiKey: string }
  | { readonly type: 'sampling' }
  | { readonly type: 'sampled'; readonly delay: LoopDelay }

/** How late the event loop was, in milliseconds. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

const RESOLUTION_MS = 5
let histogram: IntervalHistogram | null = null
const send = (message: SampledMessage) => process.send?.(message)
const shutdown = createShutdown()
const daemon = await startDaemon(readConfig(process.env), {
  logger: silentLogger,
  progress: () => {},
  activity: ALWAYS_ACTIVE,
  shutdown,
})

process.on('message', (request: SampleRequest) => {
  if (request === 'sample') {
    histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    histogram.enable()
    send({ type: 'sampling' })
  } else if (request === 'finish' && histogram !== null) {
    histogram.disable()
    // A timer of 5 ms that fires after 7 ms is 2 ms late.
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
    const [p50, p99] = [late(histogram.percentile(50)), late(histogram.percentile(99))]
    send({ type: 'sampled', delay: { p50, p99, max: late(histogram.max) } })
  } else if (request === 'stop') void shutdown.run().then(() => process.exit(0))
})
process.on('disconnect', () => process.exit(1))
send({ type: 'ready', url: daemon.url, apiKey: daemon.apiKey })
