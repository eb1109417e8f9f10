import { startTypesenseDouble, type TypesenseDouble } from '@daybook/typesense-double/start-typesense-double'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createTypesenseSearch,
  type TypesenseSearch,
  type TypesenseSearchOptions,
} from './typesense-search.ts'

const NEVER = 3_600_000
const EVERYTHING = { q: '*' }

/** These tests do not measure time: they check whether a search calls Typesense. */
describe('the circuit breaker', () => {
  let double: TypesenseDouble
  let search: TypesenseSearch

  const start = (options: Partial<TypesenseSearchOptions> = {}) => {
    search?.close()
    search = createTypesenseSearch({ url: double.url, apiKey: double.apiKey, base: 'memories', ...options })
  }

  /** Calls until the circuit is open. */
  const failing = async () => {
    for (let failure = 0; failure < 3; failure++)
      await expect(search.turn(1).ask([EVERYTHING])).rejects.toThrow(/unreachable/)
  }

  beforeEach(async () => {
    double = await startTypesenseDouble({ apiKey: 'key-of-the-double' })
    const body = JSON.stringify({ name: 'memories_g1', fields: [{ name: 'text', type: 'string' }] })
    const headers = { 'x-typesense-api-key': double.apiKey }
    await fetch(`${double.url}/collections`, { method: 'POST', headers, body })
    start({ timeoutMs: 10_000, probeAfterMs: NEVER })
    double.calls.length = 0
  })
  afterEach(async () => {
    search.close()
    await double.stop()
  })

  it('lets searches through while Typesense answers', async () => {
    for (let round = 0; round < 3; round++) {
      expect(search.isAvailable()).toBe(true)
      expect(await search.turn(1).ask([EVERYTHING])).toMatchObject([{ found: 0 }])
    }
    expect(double.calls).toHaveLength(3)
  })

  it('asks in calls of 50 searches and keeps their order', async () => {
    const asked = Array.from({ length: 120 }, (_, index) => ({ q: '*', per_page: index }))
    const found = await search.turn(1).ask(asked)
    expect(double.calls).toEqual(Array(3).fill('POST /multi_search'))
    expect(
      found.map(
        (one) => (one as unknown as { request_params: { per_page: number } }).request_params.per_page,
      ),
    ).toEqual(asked.map((one) => one.per_page))
  })

  it.each([
    ['refuses connections', () => double.faults.refuse()],
    ['is not ready', () => double.faults.notReady(true)],
    ['does not answer in time', () => double.faults.slow(NEVER)],
  ])('A3: opens with the third failure in a row of a Typesense that %s', async (_, fail) => {
    start({ timeoutMs: 100, probeAfterMs: NEVER })
    await fail()
    for (let failure = 1; failure <= 3; failure++) {
      expect(search.isAvailable()).toBe(true)
      await expect(search.turn(1).ask([EVERYTHING])).rejects.toThrow(/unreachable/)
    }
    double.calls.length = 0
    for (let round = 0; round < 3; round++) {
      expect(search.isAvailable()).toBe(false)
      await expect(search.turn(1).ask([EVERYTHING])).rejects.toThrow(/unreachable/)
    }
    expect(double.calls).toEqual([])
  })

  it('A3: stays closed after one slow answer, or two', async () => {
    start({ timeoutMs: 300, probeAfterMs: NEVER })
    for (let round = 0; round < 3; round++) {
      for (let slow = 0; slow < 2; slow++) {
        double.faults.slow(NEVER)
        await expect(search.turn(1).ask([EVERYTHING])).rejects.toThrow(/no answer within 300 ms/)
        expect(search.isAvailable()).toBe(true)
      }
      double.faults.slow(0)
      expect(await search.turn(1).ask([EVERYTHING])).toMatchObject([{ found: 0 }])
    }
  })

  it('A3: waits no longer than the server usually takes, times four', async () => {
    start({ timeoutMs: 1_200, probeAfterMs: NEVER })
    double.faults.slow(NEVER)
    await expect(search.turn(1).ask([EVERYTHING])).rejects.toThrow(/no answer within 1200 ms/)
    double.faults.slow(0)
    for (let call = 0; call < 64; call++) await search.turn(1).ask([EVERYTHING])
    double.faults.slow(NEVER)
    await expect(search.turn(1).ask([EVERYTHING])).rejects.toThrow(/no answer within 300 ms/)
  })

  it('is closed again by a probe, which no search waits for', async () => {
    start({ timeoutMs: 10_000, probeAfterMs: 1 })
    double.faults.notReady(true)
    await failing()
    double.faults.notReady(false)
    await vi.waitUntil(() => search.isAvailable())
    expect(await search.turn(1).ask([EVERYTHING])).toMatchObject([{ found: 0 }])
  })

  it('tells the operator when it opens, why, and when it closes', async () => {
    const told: string[] = []
    start({
      timeoutMs: 10_000,
      probeAfterMs: 1,
      onOpen: (error) => told.push(`open: ${error.message}`),
      onClose: () => told.push('closed'),
    })
    double.faults.notReady(true)
    await failing()
    double.faults.notReady(false)
    await vi.waitUntil(() => search.isAvailable())
    expect(told[0]).toMatch(/^open: .*Not Ready or Lagging/)
    expect(told.at(-1)).toBe('closed')
    expect(told.join()).not.toContain(double.apiKey)
  })

  it('probes one at a time', async () => {
    start({ timeoutMs: 10_000, probeAfterMs: 1 })
    double.faults.notReady(true)
    await failing()
    double.faults.notReady(false)
    double.faults.slow(200)
    double.calls.length = 0
    await vi.waitUntil(() => {
      search.isAvailable()
      return double.calls.length > 0
    })
    for (let round = 0; round < 20; round++) expect(search.isAvailable()).toBe(false)
    await vi.waitUntil(() => search.isAvailable())
    expect(double.calls).toHaveLength(1)
  })

  it('takes a refusal for an answer', async () => {
    for (let round = 0; round < 3; round++) {
      await expect(search.turn(1).ask([{ q: '*', filter_by: 'nofield:=1' }])).rejects.toThrow(
        /refused the search \(400/,
      )
      expect(search.isAvailable()).toBe(true)
    }
    double.faults.loseEverything()
    await expect(search.turn(1).ask([EVERYTHING])).rejects.toThrow(/unreachable|no index/)
  })

  it('says that there is no index where the collection is not there', async () => {
    search.close()
    search = createTypesenseSearch({ url: double.url, apiKey: double.apiKey, base: 'nothing' })
    await expect(search.turn(1).ask([EVERYTHING, EVERYTHING])).rejects.toThrow(/has no index yet/)
    expect(search.isAvailable()).toBe(true)
  })

  it('gives a search its time once, however often it asks', async () => {
    start({ timeoutMs: 2_000, probeAfterMs: NEVER })
    double.faults.slow(1_200)
    const turn = search.turn(1)
    await turn.ask([EVERYTHING])
    await expect(turn.ask([EVERYTHING])).rejects.toThrow(/unreachable/)
  })
})
