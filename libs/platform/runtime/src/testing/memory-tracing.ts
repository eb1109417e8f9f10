import { tracing } from '@opentelemetry/sdk-node'
import { startTracing } from '../tracing.ts'

/** Tracing of this process, with its spans kept here. */
export interface MemoryTracing {
  /** What has ended, in the order of the ends. */
  spans(): Promise<readonly tracing.ReadableSpan[]>
  clear(): void
  stop(): Promise<void>
}

export async function startMemoryTracing(): Promise<MemoryTracing> {
  const exporter = new tracing.InMemorySpanExporter()
  const processor = new tracing.SimpleSpanProcessor(exporter)
  const running = await startTracing({ service: 'test', endpoint: undefined, spanProcessors: [processor] })
  return {
    async spans() {
      await processor.forceFlush()
      return exporter.getFinishedSpans()
    },
    clear: () => exporter.reset(),
    stop: running.stop,
  }
}
