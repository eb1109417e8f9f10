import { setImmediate } from 'node:timers/promises'
import type { EmbedPriority, TextSpan } from '../embedder.ts'
import { asEmbedderError, EmbedderError } from '../embedder-error.ts'
import { type BatchLimits, planBatches } from './batches.ts'
import { Pending } from './pending.ts'
import { inSteps } from './text-steps.ts'
import type { Tokenize } from './tokenizer.ts'

/** A tokenised text on its way through the model, and where its vector goes. */
export interface Row {
  readonly ids: readonly number[]
  readonly pending: Pending<Float32Array>
  readonly index: number
}

/** What the scheduler drives. Each call blocks the thread until it is done. */
export interface Engine {
  readonly maxTokens: number
  readonly tokenize: Tokenize
  chunk(text: string): TextSpan[]
  embedBatch(batch: readonly Row[]): Promise<Float32Array[]>
}

/** Takes requests of a worker and decides their order. */
export interface Scheduler {
  chunk(texts: readonly string[]): Promise<TextSpan[][]>
  embed(texts: readonly string[], priority: EmbedPriority): Promise<Float32Array[]>
}

/**
 * How much of a query is read (in UTF-16 units): 15 ms to tokenise, and 32 times the length of 256 English
 * tokens.
 */
const QUERY_TEXT = 32 * 1024

/**
 * Decides what the model computes next. It goes step by step, and accepts new requests between two steps:
 *
 * 1. queries: all that wait, in one batch (or a few)
 * 2. a step of the oldest request that still has text to tokenise or to cut
 * 3. a batch of bulk texts
 *
 * So a query waits for one step, never for a whole request. Bulk texts of all requests are batched together
 * in rounds. Texts that arrive during a round go to the next, so that a steady stream of long texts cannot
 * keep a short one waiting.
 */
export function createScheduler(engine: Engine, limits: BatchLimits): Scheduler {
  let queries: Row[] = []
  let bulk: Row[] = []
  let round: Row[][] = []
  const reading: Generator<void, void>[] = []
  let running = false

  async function run(): Promise<void> {
    if (running) return
    running = true
    // Checked before each step, with no await before clearing the flag: otherwise a request arriving in
    // between would be forgotten.
    while (queries.length + reading.length + round.length + bulk.length > 0) {
      await step()
      // Waits for the end of the event loop's turn: only there does a worker receive messages.
      await setImmediate()
    }
    running = false
  }

  async function step(): Promise<void> {
    if (queries.length > 0) {
      const rows = queries
      queries = []
      for (const batch of planBatches(rows, limits)) await compute(batch)
      return
    }
    if (reading.length > 0) {
      if (reading[0]!.next().done) reading.shift()
      return
    }
    if (round.length === 0) {
      round = planBatches(bulk, limits)
      bulk = []
    }
    const batch = round.shift()!.filter((row) => !row.pending.isSettled)
    if (batch.length > 0) await compute(batch)
  }

  async function compute(batch: readonly Row[]): Promise<void> {
    try {
      const vectors = await engine.embedBatch(batch)
      for (const [i, row] of batch.entries()) row.pending.fill(row.index, vectors[i]!)
    } catch (error) {
      const failure = asEmbedderError(error, 'INFERENCE_FAILED', 'The embedding model refused a batch')
      for (const row of batch) row.pending.reject(failure)
    }
  }

  function* chunkAll(texts: readonly string[], pending: Pending<TextSpan[]>): Generator<void, void> {
    try {
      yield* inSteps(texts, (text, i) => pending.fill(i, engine.chunk(text)))
    } catch (error) {
      pending.reject(asEmbedderError(error, 'INFERENCE_FAILED', 'A text cannot be cut into chunks'))
    }
  }

  function* readBulk(texts: readonly string[], pending: Pending<Float32Array>): Generator<void, void> {
    const rows: Row[] = []
    try {
      yield* inSteps(texts, (text, index) => {
        const ids = engine.tokenize(text)
        if (ids.length > engine.maxTokens) throw tooLong(index, ids.length, engine.maxTokens)
        rows.push({ ids, pending, index })
      })
      bulk = bulk.concat(rows)
    } catch (error) {
      pending.reject(asEmbedderError(error, 'INFERENCE_FAILED', 'A text cannot be tokenised'))
    }
  }

  function readQuery(texts: readonly string[], pending: Pending<Float32Array>): void {
    try {
      for (const [index, text] of texts.entries()) {
        const ids = engine.tokenize(text.slice(0, QUERY_TEXT))
        queries.push({ ids: cutToLimit(ids, engine.maxTokens), pending, index })
      }
    } catch (error) {
      pending.reject(asEmbedderError(error, 'INFERENCE_FAILED', 'A query cannot be tokenised'))
    }
  }

  return {
    chunk(texts) {
      const pending = new Pending<TextSpan[]>(texts.length)
      reading.push(chunkAll(texts, pending))
      void run()
      return pending.promise
    },
    embed(texts, priority) {
      const pending = new Pending<Float32Array>(texts.length)
      if (priority === 'query') readQuery(texts, pending)
      else reading.push(readBulk(texts, pending))
      void run()
      return pending.promise
    },
  }
}

/** Cuts the ids to the limit but keeps the last special token, which the model expects at the end. */
function cutToLimit(ids: number[], maxTokens: number): number[] {
  return ids.length <= maxTokens ? ids : [...ids.slice(0, maxTokens - 1), ids.at(-1)!]
}

function tooLong(index: number, tokens: number, maxTokens: number): EmbedderError {
  const message = `Text ${index} of the request has ${tokens} tokens, the model takes ${maxTokens}: chunk it first`
  return new EmbedderError('TEXT_TOO_LONG', message)
}
