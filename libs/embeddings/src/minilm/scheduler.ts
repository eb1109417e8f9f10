import { setImmediate } from 'node:timers/promises'
import {
  asEmbedderError,
  EmbedderError,
  type Embedding,
  type QueryEmbedding,
  type TextSpan,
} from '../embedder.ts'
import { type BatchLimits, Pending, planBatches, type Tokenised } from './model.ts'
import { inSteps, type Tokenize } from './tokenizer.ts'

/** A tokenised text on its way through the model, and where the result goes. */
interface Row<Result> extends Tokenised {
  readonly pending: Pending<Result>
  readonly index: number
}

/** What the scheduler drives. Each call blocks the thread until it is done. */
export interface Engine {
  readonly maxTokens: number
  readonly tokenize: Tokenize
  /** As `Model.unknownToken`. */
  readonly unknownToken: number | null
  chunk(text: string): TextSpan[]
  embedBatch(batch: readonly Tokenised[]): Promise<Embedding[]>
  embedQueries(batch: readonly Tokenised[]): Promise<QueryEmbedding[]>
}

/** Takes requests of a worker and decides their order. */
export interface Scheduler {
  chunk(texts: readonly string[]): Promise<TextSpan[][]>
  /** The tokens of each text, without special tokens. */
  count(texts: readonly string[]): Promise<number[]>
  embed(texts: readonly string[]): Promise<Embedding[]>
  embedQuery(text: string): Promise<QueryEmbedding>
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
  let queries: Row<QueryEmbedding>[] = []
  let bulk: Row<Embedding>[] = []
  let round: Row<Embedding>[][] = []
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
      for (const batch of planBatches(rows, limits)) await compute(batch, engine.embedQueries)
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
    if (batch.length > 0) await compute(batch, engine.embedBatch)
  }

  async function compute<Result>(
    batch: readonly Row<Result>[],
    embed: (batch: readonly Tokenised[]) => Promise<Result[]>,
  ): Promise<void> {
    try {
      const results = await embed(batch)
      for (const [i, row] of batch.entries()) row.pending.fill(row.index, results[i]!)
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

  function* countAll(texts: readonly string[], pending: Pending<number>): Generator<void, void> {
    try {
      const special = engine.tokenize('').length
      yield* inSteps(texts, (text, i) => pending.fill(i, engine.tokenize(text).length - special))
    } catch (error) {
      pending.reject(asEmbedderError(error, 'INFERENCE_FAILED', 'A text cannot be tokenised'))
    }
  }

  function* readBulk(texts: readonly string[], pending: Pending<Embedding>): Generator<void, void> {
    const rows: Row<Embedding>[] = []
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

  function readQuery(text: string, pending: Pending<QueryEmbedding>): void {
    try {
      const all = engine.tokenize(text.slice(0, QUERY_TEXT))
      // Words that the model does not know are one token, so each would be the same as all the others.
      const ids = all.filter((id) => id !== engine.unknownToken)
      if (ids.length < all.length && ids.length === engine.tokenize('').length)
        throw new EmbedderError('NO_KNOWN_WORD', 'The embedding model knows none of the words of the query')
      queries.push({ ids: cutToLimit(ids, engine.maxTokens), pending, index: 0 })
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
    count(texts) {
      const pending = new Pending<number>(texts.length)
      reading.push(countAll(texts, pending))
      void run()
      return pending.promise
    },
    embed(texts) {
      const pending = new Pending<Embedding>(texts.length)
      reading.push(readBulk(texts, pending))
      void run()
      return pending.promise
    },
    async embedQuery(text) {
      const pending = new Pending<QueryEmbedding>(1)
      readQuery(text, pending)
      void run()
      const [embedding] = await pending.promise
      return embedding!
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
