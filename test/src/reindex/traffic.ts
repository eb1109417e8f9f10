import { pause } from '@daybook/runtime/backoff'
import { type Api, dataOf } from '../support/graphql.ts'
import type { Random } from '../support/random.ts'

/** What agents did while something else went on, and the problems they met. */
export interface Traffic {
  readonly writes: number
  readonly searches: number
  /** Every sequence that was acknowledged. */
  readonly acknowledged: readonly number[]
  /** Failed writes and searches, and searches that found nothing, in words. */
  readonly problems: readonly string[]
  /** Milliseconds of each search. */
  readonly searchTimes: readonly number[]
  /** How many searches each engine answered. */
  readonly engines: Readonly<Record<string, number>>
  stop(): Promise<void>
}

/** The API, and how often it is used. */
export interface TrafficOptions {
  readonly api: Api
  readonly random: Random
  readonly perSecond: number
  /** The queries of the searches; each has a matching memory. */
  readonly queries: readonly string[]
  readonly name: string
}

const WRITE = `mutation ($text: String!) {
  remember(input: { content: { note: { text: $text } } }) { __typename ... on Remembered { sequence } ... on DaybookError { message } }
}`
const SEARCH = `query ($query: String!, $engine: SearchEngine!) {
  search(query: $query, engine: $engine) { engine degraded hits { score memory { id } } }
}`
const ENGINES = ['AUTO', 'POSTGRES', 'TYPESENSE'] as const

/**
 * Makes `perSecond` writes and as many searches per second until it is stopped. No more of either are under way at once: where the machine
 * is too slow for them, they would pile up until none is answered in time.
 */
export function startTraffic({ api, random, perSecond, queries, name }: TrafficOptions): Traffic {
  const counts = { writes: 0, searches: 0 }
  const acknowledged: number[] = []
  const problems: string[] = []
  const searchTimes: number[] = []
  const engines: Record<string, number> = {}
  const stop = new AbortController()

  const write = async () => {
    const text = `${name} ${(counts.writes += 1)} of the ${random.between(1, 9_999)}th harbour`
    const { remember } = dataOf<{ remember: { sequence?: number; message?: string } }>(
      await api.graphql({ query: WRITE, variables: { text } }),
    )
    if (remember.sequence === undefined) throw new Error(`a write was refused: ${remember.message}`)
    acknowledged.push(remember.sequence)
  }
  const search = async () => {
    counts.searches += 1
    const variables = { query: random.oneOf(queries), engine: random.oneOf(ENGINES) }
    const began = performance.now()
    const { search: found } = dataOf<{ search: { engine: string; hits: unknown[] } }>(
      await api.graphql({ query: SEARCH, variables }),
    )
    searchTimes.push(performance.now() - began)
    engines[found.engine] = (engines[found.engine] ?? 0) + 1
    if (found.hits.length === 0)
      throw new Error(`nothing was found for "${variables.query}" on ${found.engine}`)
  }
  const every = async (what: () => Promise<void>) => {
    const underWay = new Set<Promise<void>>()
    for (let next = performance.now(); !stop.signal.aborted; ) {
      if (underWay.size >= perSecond) await Promise.race(underWay)
      const doing = what().catch((error: unknown) => void problems.push(String(error)))
      underWay.add(doing)
      void doing.finally(() => underWay.delete(doing))
      next += 1_000 / perSecond
      await pause(Math.max(1, next - performance.now()), stop.signal)
    }
    await Promise.all(underWay)
  }
  const running = [every(write), every(search)]
  return {
    get writes() {
      return counts.writes
    },
    get searches() {
      return counts.searches
    },
    acknowledged,
    problems,
    searchTimes,
    engines,
    async stop() {
      stop.abort()
      await Promise.all(running)
    },
  }
}
