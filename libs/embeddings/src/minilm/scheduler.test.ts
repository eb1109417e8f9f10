import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Embedding } from '../embedder.ts'
import type { Tokenised } from './model.ts'
import { createScheduler, type Engine } from './scheduler.ts'

/** The token of all letters that the model does not know. */
const UNKNOWN = -1

/** A model that records its batches (as text lengths) and takes a moment for each. */
function recordingEngine(failOn = -1) {
  const batches: number[][] = []
  const engine: Engine = {
    maxTokens: 100,
    tokenize: (text) => Array.from(text, (one, i) => (one === '?' ? UNKNOWN : i)),
    unknownToken: UNKNOWN,
    chunk: (text) => [{ start: 0, end: text.length }],
    embedBatch: async (batch) => (await compute(batch)).map((vector) => ({ vector, tokenBits: null })),
    embedQueries: async (batch) => (await compute(batch)).map((vector) => ({ vector, tokens: null })),
  }
  async function compute(batch: readonly Tokenised[]): Promise<Float32Array[]> {
    batches.push(batch.map(({ ids }) => ids.length))
    await setTimeout(2)
    if (batch.some(({ ids }) => ids.length === failOn)) throw new Error('no such token')
    return batch.map(({ ids }) => Float32Array.of(ids.length))
  }
  return { batches, scheduler: createScheduler(engine, { maxPaddedTokens: 20, maxTexts: 4 }) }
}

const text = (length: number) => 'x'.repeat(length)
const values = (embeddings: Embedding[]) => embeddings.map(({ vector }) => vector[0])

describe('createScheduler', () => {
  it('leaves out of a query what the model does not know, and refuses one of nothing else', async () => {
    const { batches, scheduler } = recordingEngine()
    await scheduler.embedQuery('x?x?')
    expect(batches).toEqual([[2]])
    await expect(scheduler.embedQuery('??')).rejects.toMatchObject({ code: 'NO_KNOWN_WORD' })
    await scheduler.embed(['x??'])
    expect(batches).toEqual([[2], [3]])
  })

  it('answers in the order asked, whatever the order of computing', async () => {
    const { scheduler, batches } = recordingEngine()
    expect(values(await scheduler.embed([3, 10, 4, 9].map(text)))).toEqual([3, 10, 4, 9])
    expect(batches).toEqual([
      [10, 9],
      [4, 3],
    ])
  })

  it('computes a query after the running batch, before all others', async () => {
    const { scheduler, batches } = recordingEngine()
    const bulk = scheduler.embed(Array.from({ length: 6 }, () => text(20)))
    while (batches.length < 2) await setTimeout(0)
    await scheduler.embedQuery(text(1))
    expect(batches).toEqual([[20], [20], [1]])
    await bulk
    expect(batches).toHaveLength(7)
  })

  it('batches queries that wait together, and bulk texts of several requests', async () => {
    const { scheduler, batches } = recordingEngine()
    const first = scheduler.embed([text(20)])
    while (batches.length < 1) await setTimeout(0)
    const queries = [1, 2, 3].map((length) => scheduler.embedQuery(text(length)))
    const others = [5, 4].map((length) => scheduler.embed([text(length)]))
    await Promise.all([first, ...queries, ...others])
    expect(batches).toEqual([[20], [3, 2, 1], [5, 4]])
  })

  it('fails only the requests of the failing batch, and skips the rest of them', async () => {
    const { scheduler, batches } = recordingEngine(20)
    const bad = scheduler.embed([20, 1, 1, 1, 1, 1].map(text))
    const good = scheduler.embed([text(19)])
    await expect(bad).rejects.toMatchObject({ code: 'INFERENCE_FAILED' })
    expect(values(await good)).toEqual([19])
    expect(batches).toEqual([[20], [19]])
  })

  it('goes on after it has been idle', async () => {
    const { scheduler } = recordingEngine()
    for (const length of [1, 2, 3]) expect(values(await scheduler.embed([text(length)]))).toEqual([length])
    expect(await scheduler.chunk(['ab'])).toEqual([[{ start: 0, end: 2 }]])
  })
})
