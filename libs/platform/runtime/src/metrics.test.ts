import { describe, expect, it, vi } from 'vitest'
import { createMetrics, type Reading } from './metrics.ts'

const reading = (name: string, read: Reading['value']): Reading => ({
  name: `daybook_${name}`,
  help: name,
  value: read,
})

const READINGS: readonly Reading[] = [
  reading(
    'projection_lag',
    new Map([
      ['pgvector', 3],
      ['typesense', 0],
    ]),
  ),
  reading('self_check_unhealed', new Map([['pgvector', 2]])),
  reading('embedding_queue', 7),
]

const EMBEDDED = { name: 'daybook_embedded_texts_total', help: 'texts' }

/** The value of a line of Prometheus' text format. */
async function value(metrics: { text(): Promise<string> }, name: string): Promise<number | undefined> {
  const line = (await metrics.text()).split('\n').find((one) => one.startsWith(`${name}{`))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

describe('the metrics', () => {
  it('tell what the parts reported, under the name of the service', async () => {
    const metrics = createMetrics({ service: 'gateway' })
    metrics.appended({ events: 3, refused: 1, seconds: 0.02 })
    metrics.timesSetBack()
    metrics.relayed(0.2)
    metrics.relayed(-0.1)
    const applied = {
      name: 'daybook_projection_events_total',
      help: 'events',
      labels: ['projection'] as const,
    }
    metrics.counter(applied).add(100, { projection: 'pgvector' })
    // A second part that declares the metric shares it.
    metrics.counter(applied).add(5, { projection: 'pgvector' })
    metrics.counter(EMBEDDED).add(2)
    const open = metrics.gauge({ name: 'daybook_subscriptions_open', help: 'subscriptions' })
    open.add(1)
    open.add(1)
    open.add(-1)
    metrics
      .histogram({ name: 'daybook_search_seconds', help: 'seconds', labels: ['retriever'] })
      .observe(0.004, { retriever: 'lexical' })
    const text = await metrics.text()
    expect(text).toContain('daybook_append_events_total{service="gateway"} 3')
    expect(text).toContain('daybook_append_refused_total{service="gateway"} 1')
    expect(text).toContain('daybook_append_seconds_bucket{le="0.01",service="gateway"} 0')
    expect(text).toContain('daybook_append_seconds_bucket{le="0.025",service="gateway"} 1')
    expect(text).toContain('daybook_times_set_back_total{service="gateway"} 1')
    // A clock that is behind the database's does not make a delay negative.
    expect(text).toContain('daybook_relay_delay_seconds_sum{service="gateway"} 0.2')
    expect(text).toContain('daybook_projection_events_total{projection="pgvector",service="gateway"} 105')
    expect(text).toContain('daybook_embedded_texts_total{service="gateway"} 2')
    expect(text).toContain('daybook_subscriptions_open{service="gateway"} 1')
    expect(text).toContain('daybook_search_seconds_count{service="gateway",retriever="lexical"} 1')
    expect(text).toContain('process_cpu_seconds_total{service="gateway"}')
    expect(text).not.toContain('daybook_projection_lag')
  })

  it('of two services in one process are apart', async () => {
    const [one, other] = [createMetrics({ service: 'one' }), createMetrics({ service: 'other' })]
    one.counter(EMBEDDED).add(1)
    other.counter(EMBEDDED)
    expect(await value(one, 'daybook_embedded_texts_total')).toBe(1)
    expect(await value(other, 'daybook_embedded_texts_total')).toBe(0)
  })

  it('ask the database when they are asked, and not again for some seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const read = vi.fn<() => Promise<readonly Reading[]>>(async () => READINGS)
      const metrics = createMetrics({ service: 'gateway', read })
      expect(read).not.toHaveBeenCalled()
      expect(await value(metrics, 'daybook_projection_lag')).toBe(3)
      expect(await metrics.text()).toContain(
        'daybook_projection_lag{projection="typesense",service="gateway"} 0',
      )
      expect(await value(metrics, 'daybook_self_check_unhealed')).toBe(2)
      expect(await value(metrics, 'daybook_embedding_queue')).toBe(7)
      expect(await value(metrics, 'daybook_database_up')).toBe(1)
      expect(read).toHaveBeenCalledTimes(1)
      vi.setSystemTime(Date.now() + 6_000)
      await Promise.all([metrics.text(), metrics.text()])
      expect(read).toHaveBeenCalledTimes(2)
    } finally {
      vi.useRealTimers()
    }
  })

  it('are still told while the database is unavailable, without what it said before', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const read = vi.fn<() => Promise<readonly Reading[]>>(async () => READINGS)
      const onError = vi.fn<(error: unknown) => void>()
      const metrics = createMetrics({ service: 'gateway', read, onError })
      await metrics.text()
      vi.setSystemTime(Date.now() + 6_000)
      const away = new Error('away')
      read.mockRejectedValue(away)
      expect(await value(metrics, 'daybook_database_up')).toBe(0)
      expect(onError).toHaveBeenCalledExactlyOnceWith(away)
      expect(await value(metrics, 'daybook_append_events_total')).toBe(0)
      for (const gauge of ['projection_lag', 'self_check_unhealed', 'embedding_queue'])
        expect(await value(metrics, `daybook_${gauge}`)).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })

  it('are still told while the database hangs, and ask it again only once it has answered', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    try {
      let answer: (readings: readonly Reading[]) => void = () => {}
      const read = vi.fn<() => Promise<readonly Reading[]>>(
        () => new Promise((resolve) => (answer = resolve)),
      )
      const metrics = createMetrics({ service: 'gateway', read })
      const up = async () => {
        const told = value(metrics, 'daybook_database_up')
        await vi.advanceTimersByTimeAsync(6_000)
        return told
      }
      expect(await up()).toBe(0)
      expect(await up()).toBe(0)
      expect(read).toHaveBeenCalledTimes(1)
      answer(READINGS)
      read.mockResolvedValue(READINGS)
      await vi.advanceTimersByTimeAsync(0)
      expect(await up()).toBe(1)
      expect(read).toHaveBeenCalledTimes(2)
    } finally {
      vi.useRealTimers()
    }
  })
})
