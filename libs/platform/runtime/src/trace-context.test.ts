import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type MemoryTracing, startMemoryTracing } from './testing/memory-tracing.ts'
import { checkTraceparent, currentTraceparent, inSpan, recordSpan } from './trace-context.ts'
import { startTracing } from './tracing.ts'

const OUTSIDE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

describe('a traceparent from outside', () => {
  it('is kept as it is', () => expect(checkTraceparent(OUTSIDE)).toBe(OUTSIDE))

  it.each([
    undefined,
    null,
    '',
    'hello',
    ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    '00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01',
    `${OUTSIDE}-more`,
    `${OUTSIDE}\n`,
  ])('%j says nothing', (text) => expect(checkTraceparent(text)).toBeNull())
})

describe('without tracing', () => {
  it('work is done and nothing is named', async () => {
    expect(await inSpan('work', {}, () => currentTraceparent())).toBeNull()
    await expect(inSpan('work', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    const off = await startTracing({ service: 'test', endpoint: undefined })
    await off.stop()
  })
})

describe('with tracing', () => {
  let traced: MemoryTracing
  beforeAll(async () => {
    traced = await startMemoryTracing()
  })
  afterEach(() => traced.clear())
  afterAll(() => traced.stop())

  it('a span continues the trace that it is given, and what runs in it continues the span', async () => {
    await inSpan('outer', { traceparent: OUTSIDE, kind: 'server' }, () => inSpan('inner', {}, () => {}))
    const [inner, outer] = await traced.spans()
    expect(outer).toMatchObject({ name: 'outer', parentSpanContext: { spanId: 'b7ad6b7169203331' } })
    expect(inner?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId)
    for (const span of [inner, outer])
      expect(span?.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c')
  })

  it('the traceparent of a span, given to another process, leads back to it', async () => {
    const traceparent = await inSpan('append', {}, () => currentTraceparent())
    recordSpan('apply', Date.now() - 1_000, { kind: 'consumer', traceparent })
    const [append, apply] = await traced.spans()
    expect(apply?.parentSpanContext?.spanId).toBe(append?.spanContext().spanId)
    expect(apply?.duration[0]).toBe(1)
  })

  it('an error is noted by its type, as its message may quote a memory', async () => {
    await expect(inSpan('work', {}, () => Promise.reject(new TypeError('secret')))).rejects.toThrow('secret')
    const [span] = await traced.spans()
    expect(span?.attributes).toEqual({ 'error.type': 'TypeError' })
    expect(JSON.stringify([span?.status, span?.events])).not.toContain('secret')
  })
})
