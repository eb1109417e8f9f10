import { startTypesenseDouble, type TypesenseDouble } from '@daybook/typesense-double/start-typesense-double'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createTypesenseSearch,
  type TypesenseSearch,
  type TypesenseSearchOptions,
} from './typesense-search.ts'

const NEVER = 3_600_000
/** Of a search that hangs, or one whose time these tests let pass. */
const LIMIT = 240_000
const EVERYTHING = { q: '*' }
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** These tests do not measure time: they check whether a search calls Typesense. */
describe('the circuit breaker', () => {
  let double: TypesenseDouble
  let search: TypesenseSearch

  const start = (options: Partial<TypesenseSearchOptions> = {}) => {
    search?.close()
    search = createTypesenseSearch({ url: double.url, apiKey: double.apiKey, base: 'memories', ...options })
  }

  /** From now on time stands still, but for `inVain`. */
  const stopClock = () => vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  /** Asks, and lets so much time pass unless it fails at once. @returns why it failed */
  const inVain = async (asking = search.turn(1), milliseconds = LIMIT): Promise<string> => {
    const before = double.calls.length
    let why = ''
    const asked = asking.ask([EVERYTHING]).catch((error: Error) => {
      why = error.message
    })
    while (why === '' && double.calls.length === before) await turn()
    await vi.advanceTimersByTimeAsync(milliseconds)
    await asked
    return why
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
    start({ timeoutMs: LIMIT, probeAfterMs: NEVER })
    double.calls.length = 0
  })
  afterEach(async () => {
    vi.useRealTimers()
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
  ])('opens with the third failure in a row of a Typesense that %s', async (_, fail) => {
    stopClock()
    await fail()
    for (let failure = 1; failure <= 3; failure++) {
      expect(search.isAvailable()).toBe(true)
      expect(await inVain()).toMatch(/unreachable/)
    }
    double.calls.length = 0
    for (let round = 0; round < 3; round++) {
      expect(search.isAvailable()).toBe(false)
      expect(await inVain()).toMatch(/unreachable/)
    }
    expect(double.calls).toEqual([])
  })

  it('stays closed after one slow answer, or two', async () => {
    stopClock()
    for (let round = 0; round < 3; round++) {
      for (let slow = 0; slow < 2; slow++) {
        double.faults.slow(NEVER)
        expect(await inVain()).toMatch(/no answer within 240000 ms/)
        expect(search.isAvailable()).toBe(true)
      }
      double.faults.slow(0)
      expect(await search.turn(1).ask([EVERYTHING])).toMatchObject([{ found: 0 }])
    }
  })

  it('waits no longer than four times what the server usually takes', async () => {
    stopClock()
    double.faults.slow(NEVER)
    expect(await inVain()).toMatch(/no answer within 240000 ms/)
    double.faults.slow(0)
    for (let call = 0; call < 64; call++) await search.turn(1).ask([EVERYTHING])
    double.faults.slow(NEVER)
    expect(await inVain(search.turn(1), LIMIT / 4)).toMatch(/no answer within 60000 ms/)
  })

  it('is closed again by a probe, which no search waits for', async () => {
    start({ timeoutMs: LIMIT, probeAfterMs: 1 })
    double.faults.notReady(true)
    await failing()
    double.faults.notReady(false)
    await vi.waitUntil(() => search.isAvailable())
    expect(await search.turn(1).ask([EVERYTHING])).toMatchObject([{ found: 0 }])
  })

  it('tells the operator when it opens, why, and when it closes', async () => {
    const told: string[] = []
    start({
      timeoutMs: LIMIT,
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
    start({ timeoutMs: LIMIT, probeAfterMs: 1 })
    double.faults.notReady(true)
    await failing()
    double.faults.notReady(false)
    double.calls.length = 0
    // More than the millisecond after which it is probed. The first of these calls does, the others find it under way.
    await new Promise((resolve) => setTimeout(resolve, 20))
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
    stopClock()
    const asking = search.turn(1)
    const answered = asking.ask([EVERYTHING])
    vi.advanceTimersByTime(0.6 * LIMIT)
    await answered
    double.faults.slow(NEVER)
    expect(await inVain(asking, 0.4 * LIMIT)).toMatch(/no answer within 240000 ms/)
  })
})
