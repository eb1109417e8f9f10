import { tracing } from '@opentelemetry/sdk-node'
import { startTracing } from '../tracing.ts'

/** Tracing of this process that keeps its spans in memory. */
export interface MemoryTracing {
  /** The ended spans, in the order in which they ended. */
  spans(): Promise<readonly tracing.ReadableSpan[]>
  clear(): void
  stop(): Promise<void>
}

/** Starts tracing without a collector. */
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
