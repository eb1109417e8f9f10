import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as it arrived. */
export interface CollectedSpan {
  readonly service: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
}

/**
 * The parts of OTLP's JSON form that are read here.
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
interface TraceExport {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly {
        readonly key: string
        readonly value: { readonly stringValue?: string }
      }[]
    }
    readonly scopeSpans: readonly { readonly spans: readonly Omit<CollectedSpan, 'service'>[] }[]
  }[]
}

/** Starts a collector of traces for OTLP over HTTP with JSON (`OTEL_EXPORTER_OTLP_PROTOCOL=http/json`). */
export async function startCollector(): Promise<{
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** What was sent, as it was sent. */
  readonly bodies: readonly string[]
  stop(): void
}> {
  const spans: CollectedSpan[] = []
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString('utf8')
    bodies.push(body)
    if (request.url === '/v1/traces') spans.push(...read(JSON.parse(body)))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function read({ resourceSpans }: TraceExport): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })))
  })
}
