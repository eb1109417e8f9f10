import type { NodeSDK, tracing } from '@opentelemetry/sdk-node'

/** Spans on their way to a collector. */
export interface Tracing {
  /** Sends what is left, for at most 3 s: a collector that is unavailable must not keep a service from ending. */
  stop(): Promise<void>
}

export interface TracingOptions {
  /** `gateway`, `projector-pgvector`, …: the attribute `service.name`. */
  readonly service: string
  /** Undefined: nothing is traced, and the SDK, which takes 0.3 s and 29 MB to load, is not loaded. */
  readonly endpoint: string | undefined
  /** For tests: where spans go instead of the endpoint. */
  readonly spanProcessors?: tracing.SpanProcessor[]
}

const FLUSH_MS = 3_000

/**
 * Starts OpenTelemetry's SDK for the whole process. The exporter reads the endpoint, its protocol and headers, and the
 * sampler from the standard `OTEL_*` variables. Metrics and logs are not sent that way: Prometheus asks for the ones, the
 * others go to standard error.
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
      // What could not be sent is lost, and that is what traces may be.
      await Promise.race([sdk.shutdown().catch(() => {}), patience])
      clearTimeout(timer)
    },
  }
}
