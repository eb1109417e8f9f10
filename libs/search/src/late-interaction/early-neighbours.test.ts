import { describe, expect, it } from 'vitest'
import { DEFAULT_RANKING } from '../ranking/options.ts'
import type { FoundMemory } from '../ranking/retriever.ts'
import { earlyNeighbours, type QuestionAsked } from './early-neighbours.ts'
import type { ComparedTexts } from './token-comparisons.ts'

/** Hits of which the later ones match the question's only token better. */
const hits = (count: number): FoundMemory[] =>
  Array.from({ length: count }, (_, at) => ({ memoryId: `m${at}`, score: 1, contentHash: `h${at}` }))

const compared = (count: number): ComparedTexts => ({
  bits: new Map(),
  matches: new Map(
    Array.from({ length: count }, (_, at) => [
      `h${at}`,
      { best: Float32Array.of(at / count / 2), tokens: 9 },
    ]),
  ),
})

function start({ atOnce = true, all = async () => compared(100) } = {}) {
  const begun: string[][] = []
  const early = earlyNeighbours({
    neighbours: {
      begin: (ids) => void begun.push([...ids]),
      of: () => Promise.reject(new Error('nobody waits')),
    },
    options: DEFAULT_RANKING,
    atOnce,
  })
  const question: QuestionAsked = {
    tokens: { words: ['pier'], states: new Float32Array(8) },
    frequencies: Promise.resolve({ documents: 1_000, documentFrequency: new Map([['pier', 10]]) }),
    comparisons: {
      scorer: { match: () => new Float32Array(1) },
      bytes: 1,
      begin: () => {},
      all,
    },
  }
  return { early, question, begun }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('neighbours that are looked up early', () => {
  it('are those of the hits that match best, whichever comes first', async () => {
    for (const wordsFirst of [true, false]) {
      const { early, question, begun } = start()
      if (wordsFirst) early.onWords(hits(100))
      early.onTokens(question)
      if (!wordsFirst) early.onWords(hits(100))
      await settled()
      expect(begun).toEqual([Array.from({ length: 40 }, (_, at) => `m${99 - at}`)])
    }
  })

  it('are those of all hits if they are few, or if no tokens are compared', async () => {
    const few = start()
    few.early.onTokens(few.question)
    few.early.onWords(hits(40))
    const without = start({ atOnce: false })
    without.early.onWords(hits(100))
    expect(without.begun).toEqual([])
    without.early.onTokens(null)
    await settled()
    expect(few.begun.flat()).toEqual(hits(40).map(({ memoryId }) => memoryId))
    expect(without.begun.flat()).toHaveLength(100)
  })

  it('are none where the vector retriever would have to wait for them', async () => {
    const { early, question, begun } = start({ atOnce: false })
    early.onTokens(question)
    early.onWords(hits(100))
    await settled()
    expect(begun).toEqual([])
  })

  it('are looked up again for hits of another engine', async () => {
    const { early, question, begun } = start()
    early.onTokens(question)
    early.onWords(hits(40))
    early.onWords(hits(100).slice(50, 80))
    await settled()
    expect(begun.map((ids) => ids.length)).toEqual([40, 30])
  })

  it('are none if the comparisons fail, which is told to whoever waits for those', async () => {
    const { early, question, begun } = start({ all: () => Promise.reject(new Error('no connection')) })
    early.onTokens(question)
    early.onWords(hits(100))
    await settled()
    expect(begun).toEqual([])
    await expect(question.comparisons.all()).rejects.toThrow('no connection')
  })
})
