import { context, propagation, trace } from '@opentelemetry/api'
import type { NodeSDK, tracing } from '@opentelemetry/sdk-node'

/** The running export of spans to a collector. */
export interface Tracing {
  /**
   * Sends the remaining spans, for at most 3 s: an unavailable collector must not keep a service from ending.
   * Afterwards nothing is registered: later work in the process is not traced.
   */
  stop(): Promise<void>
}

/** The options of `startTracing`. */
export interface TracingOptions {
  /** `gateway`, `projector-pgvector`, …: the attribute `service.name`. */
  readonly service: string
  /** Undefined: nothing is traced, and the SDK is not loaded (0.3 s and 29 MB). */
  readonly endpoint: string | undefined
  /** For tests: where spans go instead of the endpoint. */
  readonly spanProcessors?: tracing.SpanProcessor[]
}

const FLUSH_MS = 3_000

/**
 * Starts OpenTelemetry's SDK for the whole process. The exporter reads the endpoint, its protocol and
 * headers, and the sampler from the standard `OTEL_*` variables. Metrics and logs go elsewhere: Prometheus
 * fetches metrics, logs go to standard error.
 */
export async function startTracing({ service, endpoint, spanProcessors }: TracingOptions): Promise<Tracing> {
  if (endpoint === undefined && spanProcessors === undefined) return { stop: async () => {} }
  const { NodeSDK: Sdk } = await import('@opentelemetry/sdk-node')
  const sdk: NodeSDK = new Sdk({
    serviceName: service,
    metricReaders: [],
    logRecordProcessors: [],
    ...(spanProcessors === undefined ? {} : { spanProcessors }),
  })
  sdk.start()
  return {
    async stop() {
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, FLUSH_MS)
      })
      // Spans that could not be sent are lost, which is acceptable for traces.
      await Promise.race([sdk.shutdown().catch(() => {}), patience])
      clearTimeout(timer)
      // The SDK leaves its globals behind, and spans of a stopped SDK would still name a parent.
      trace.disable()
      context.disable()
      propagation.disable()
    },
  }
}
