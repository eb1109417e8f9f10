import { describe, expect, it } from 'vitest'
import { DEFAULT_RANKING } from './ranking/options.ts'
import type { FoundMemory } from './ranking/retriever.ts'
import { type Retrievers, runRetrievers } from './run-retrievers.ts'
import type { ComparedTexts, QuestionTokens, SearchRun } from './search-run.ts'

/** Hits of which the later ones match the question's only token better. */
const hits = (count: number): FoundMemory[] =>
  Array.from({ length: count }, (_, at) => ({ memoryId: `m${at}`, score: 1, contentHash: `h${at}` }))

const comparedTexts = (count: number): ComparedTexts => ({
  bits: new Map(),
  matches: new Map(
    Array.from({ length: count }, (_, at) => [
      `h${at}`,
      { best: Float32Array.of(at / count / 2), tokens: 9 },
    ]),
  ),
})

const TOKENS: QuestionTokens = { words: ['pier'], scorer: { match: () => new Float32Array(1) }, bytes: 1 }

/** A promise that the test ends. */
function deferred<Value>() {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>((end) => {
    resolve = end
  })
  return { promise, resolve }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Begins a run whose vector retriever never ends by itself, and notes in order what is begun. */
async function begin({
  found = hits(100),
  tokens = TOKENS,
  atOnce = true,
  wordsFirst = true,
  compared = async () => comparedTexts(100),
}: {
  readonly found?: readonly FoundMemory[]
  readonly tokens?: QuestionTokens | null
  readonly atOnce?: boolean
  readonly wordsFirst?: boolean
  readonly compared?: SearchRun['compared']
} = {}) {
  const lookups: string[][] = []
  const texts: string[][] = []
  const order: string[] = []
  const embedded = deferred<void>()
  const run = {
    atOnce,
    options: DEFAULT_RANKING,
    request: { mode: 'HYBRID' },
    queryVector: () => embedded.promise.then(() => ({ vector: new Float32Array(1), tokens: null })),
    tokens: () => embedded.promise.then(() => tokens),
    frequencies: async () => ({ documents: 1_000, documentFrequency: new Map([['pier', 10]]) }),
    compared: (hashes: Iterable<string>) => {
      texts.push([...hashes])
      const result = compared(hashes)
      result.catch(() => {})
      return result
    },
    neighbours: (ids: Iterable<string>) => {
      lookups.push([...ids])
      order.push('neighbours')
      return Promise.reject(new Error('nobody waits')).catch(() => {})
    },
  } as unknown as SearchRun
  const words = deferred<readonly FoundMemory[]>()
  const near = deferred<[]>()
  const retrievers: Retrievers = {
    lexical: () => words.promise,
    vector: () => {
      order.push('vector')
      return near.promise
    },
    atOnce,
  }
  const running = runRetrievers(run, retrievers)
  if (wordsFirst) words.resolve(found)
  else embedded.resolve(undefined)
  await settled()
  const before = { lookups: lookups.length, texts: texts.length }
  if (wordsFirst) embedded.resolve(undefined)
  else words.resolve(found)
  await settled()
  const end = () => {
    near.resolve([])
    return running
  }
  return { lookups, texts, order, before, end }
}

describe('while the vector retriever still runs', () => {
  it('neighbours of those hits are looked up that match best, whichever comes first', async () => {
    for (const wordsFirst of [true, false]) {
      const { lookups, before } = await begin({ wordsFirst })
      expect(before.lookups).toBe(0)
      expect(lookups).toEqual([Array.from({ length: 40 }, (_, at) => `m${99 - at}`)])
    }
  })

  it('texts of the words’ hits are compared, but not with one session', async () => {
    const { texts, before } = await begin()
    expect(before.texts).toBe(1)
    expect(texts[0]).toEqual(hits(100).map(({ contentHash }) => contentHash))
    expect((await begin({ atOnce: false })).texts).toEqual([])
  })

  it('neighbours of all hits are looked up if they are few, or if no tokens are compared', async () => {
    const few = await begin({ found: hits(40) })
    expect(few.lookups.flat()).toEqual(hits(40).map(({ memoryId }) => memoryId))
    const without = await begin({ tokens: null, atOnce: false })
    expect(without.lookups.flat()).toHaveLength(100)
  })

  it('none are looked up where the vector retriever would have to wait for them', async () => {
    expect((await begin({ atOnce: false })).lookups).toEqual([])
  })

  it('with one session the vector retriever comes after the words and what they began', async () => {
    expect((await begin({ found: hits(40), atOnce: false })).order).toEqual(['neighbours', 'vector'])
    expect((await begin({ atOnce: false, wordsFirst: false })).order).toEqual(['vector'])
  })

  it('none are looked up if the comparisons fail, which is told to whoever waits for those', async () => {
    const { lookups, end } = await begin({ compared: () => Promise.reject(new Error('no connection')) })
    expect(lookups).toEqual([])
    expect(await end()).toMatchObject({ lexical: hits(100), vector: [], degraded: [] })
  })
})
