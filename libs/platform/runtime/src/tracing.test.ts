import { context, propagation, trace } from '@opentelemetry/api'
import { expect, it } from 'vitest'
import { startTracing } from './tracing.ts'

it('leaves no trace in what the process does after its stop', async () => {
  const ended: string[] = []
  const started = await startTracing({
    service: 'test',
    endpoint: undefined,
    spanProcessors: [
      {
        onStart: () => {},
        onEnd: (span) => ended.push(span.name),
        forceFlush: async () => {},
        shutdown: async () => {},
      },
    ],
  })
  const tracer = trace.getTracer('test')
  tracer.startActiveSpan('while it runs', (span) => span.end())
  expect(ended).toEqual(['while it runs'])
  await started.stop()

  trace.getTracer('test').startActiveSpan('after the stop', (span) => {
    expect(span.isRecording()).toBe(false)
    expect(trace.getSpan(context.active())).toBeUndefined()
    const carrier = {}
    propagation.inject(context.active(), carrier)
    expect(carrier).toEqual({})
    span.end()
  })
})
