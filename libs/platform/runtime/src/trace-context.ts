import {
  type Attributes,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { VERSION } from './version.ts'

/*
 * Spans, as the parts make them. Everything is a no-op until `startTracing` (`tracing.ts`) is called:
 * OpenTelemetry's API is made so that libraries need not know whether anybody traces.
 *
 *   gateway: graphql mutation ─▶ journal append ──traceparent in the event──▶ projection <name> apply
 */

/** The API's proxy: it passes calls on to the SDK once that has started. */
const tracer = trace.getTracer('daybook', VERSION)

/**
 * Version 00 of the header; an id of only zeros is invalid. @see
 * https://www.w3.org/TR/trace-context/#traceparent-header
 */
const TRACEPARENT = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/u

/** The span that a `traceparent` names; null if the text is not one. */
function parseTraceparent(text: string | null | undefined): SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
}

/** A header from outside; null if it is not valid. */
export function checkTraceparent(text: string | readonly string[] | null | undefined): string | null {
  return typeof text === 'string' && parseTraceparent(text) !== null ? text : null
}

/** The current span as W3C's header; null if nothing is traced. */
export function currentTraceparent(): string | null {
  const span = trace.getActiveSpan()?.spanContext()
  if (span === undefined || !trace.isSpanContextValid(span)) return null
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`
}

/** The id of the current trace; undefined if nothing is traced. */
export function currentTraceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId
}

/** The options of a span. */
export interface SpanOptions {
  readonly kind?: 'server' | 'producer' | 'consumer' | 'internal'
  /** The span that led to this one, if it is in another process or was long ago. Default: the active span. */
  readonly traceparent?: string | null
  /** Only ids, counts and names, never memories. */
  readonly attributes?: Attributes
}

const KINDS = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

function parentContext({ traceparent }: SpanOptions) {
  const parent = parseTraceparent(traceparent)
  return parent === null ? context.active() : trace.setSpanContext(ROOT_CONTEXT, parent)
}

/** Runs `work` in a new span; records the type of an error that it throws. */
export async function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T> | T): Promise<T> {
  const { kind = 'internal', attributes = {} } = options
  return tracer.startActiveSpan(
    name,
    { kind: KINDS[kind], attributes },
    parentContext(options),
    async (span) => {
      try {
        return await work()
      } catch (error) {
        fail(span, error)
        throw error
      } finally {
        span.end()
      }
    },
  )
}

function fail(span: Span, error: unknown): void {
  // The type, not the message: messages may quote what should have been remembered.
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
}

/** Records something that has just been done, from `startedAt` (milliseconds since 1970) until now. */
export function recordSpan(name: string, startedAt: number, options: SpanOptions): void {
  const { kind = 'internal', attributes = {} } = options
  const parent = parentContext(options)
  tracer.startSpan(name, { kind: KINDS[kind], attributes, startTime: startedAt }, parent).end()
}
