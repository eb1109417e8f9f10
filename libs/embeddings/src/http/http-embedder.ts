import { setMaxListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import type { Metrics } from '@daybook/runtime/metrics'
import { type Embedder, EmbedderError, type Embedding } from '../embedder.ts'
import { createChunker } from '../minilm/chunk-text.ts'
import { askProvider, type Patience, TooManyTextsError, TryAgainError } from './ask-provider.ts'
import { type HttpModel, MAX_DIMENSION } from './http-models.ts'
import { PROTOCOLS, type ProviderSettings } from './provider-protocol.ts'

/** The options of `createHttpEmbedder`. */
export interface HttpEmbedderOptions {
  readonly model: HttpModel
  readonly settings: ProviderSettings
  /** Called after each answer. */
  readonly onUsage?: ((usage: Usage) => void) | undefined
  /** Milliseconds before the second try of a request of texts; doubled for each further one. Default 500. */
  readonly firstRetryMs?: number | undefined
}

/** Tries of a request of texts, the first included. Then the queue tries again, less and less often. */
const TRIES = 4

/** The longest that texts wait at the provider's wish, in milliseconds; beyond it the call fails at once. */
const PATIENCE_MS = 60_000

/** The longest that a question takes, in milliseconds: then the search goes by words. */
const QUESTION_MS = 5_000

/**
 * Vectors of a provider, over HTTP. Nothing is asked before the first text, so it opens while the provider is down.
 *
 * Texts are sent in requests within the provider's limits, one after the other. While the provider asks to wait
 * (`Retry-After`), nothing is sent; without such a wish, waits double. Questions are sent at once and only tried
 * once, and texts let them pass. The tokens of a text are estimated (`http-embedder.ts`), because only the provider
 * has the model's tokenizer.
 */
export function createHttpEmbedder(options: HttpEmbedderOptions): Embedder {
  const { model, settings, onUsage, firstRetryMs = 500 } = options
  const { modelId, dimension } = model
  const protocol = PROTOCOLS[model.provider]
  const maxTokens = chunkTokensFor(model.maxTokens) - estimateTokens(model.textPrefix)
  const chunk = createChunker(estimatedTokenize, { maxTokens, overlapTokens: maxTokens >> 3 })
  const price = settings.price ?? (protocol.hasListPrice(settings) ? model.price : null)
  const turns = createTurns()
  const closing = new AbortController()
  // Each call under way listens.
  setMaxListeners(0, closing.signal)
  let shorten = model.shorten === 'always'

  const checkOpen = (): void => {
    if (closing.signal.aborted) throw new EmbedderError('CLOSED', 'The embedder was closed')
  }
  /** One request, and a second one if the model must first be asked for shorter vectors. */
  const ask = async (texts: readonly string[], patience: Patience): Promise<Float32Array[]> => {
    checkOpen()
    const answer = await askProvider(settings, model, { texts, shorten }, patience)
    const tokens = answer.tokens ?? 0
    onUsage?.({ modelId, tokens, cost: price === null ? null : (tokens / 1_000_000) * price })
    const longer = answer.vectors.some(({ length }) => length > dimension)
    if (longer && !shorten && model.shorten === 'when-longer') {
      shorten = true
      return ask(texts, patience)
    }
    return unitVectors(answer.vectors, { texts: texts.length, model })
  }
  const checkPatience = (limitMs: number): void => {
    const waitMs = turns.waitMs()
    if (waitMs > limitMs)
      throw new EmbedderError(
        'PROVIDER_UNAVAILABLE',
        `${protocol.title} asks to wait for another ${Math.ceil(waitMs / 1_000)} s`,
      )
  }

  const askForTexts = async (texts: readonly string[]): Promise<Float32Array[]> => {
    for (let failures = 0; ; failures += 1) {
      checkPatience(PATIENCE_MS)
      await turns.bulk(closing.signal)
      try {
        return await ask(texts, { timeoutMs: settings.timeoutMs, signal: closing.signal })
      } catch (error) {
        if (error instanceof TooManyTextsError) {
          const half = texts.length >> 1
          return [...(await askForTexts(texts.slice(0, half))), ...(await askForTexts(texts.slice(half)))]
        }
        if (!(error instanceof TryAgainError)) throw error
        if (error.retryAfterMs !== null) turns.holdFor(error.retryAfterMs)
        if (failures + 1 >= TRIES) throw error
        await pause(backoffDelay(failures, { firstMs: firstRetryMs, maxMs: 20_000 }), closing.signal)
      }
    }
  }

  return {
    modelId,
    dimension,
    maxTokens,
    async chunk(texts) {
      checkOpen()
      const spans: ReturnType<typeof chunk>[] = []
      for (const text of texts) {
        spans.push(chunk(text))
        // Others get a turn between two texts: this is the thread that serves requests.
        await setImmediate()
      }
      return spans
    },
    async embed(texts) {
      checkOpen()
      for (const [i, text] of texts.entries()) checkLength(text, i, maxTokens)
      const inputs = texts.map((text) => sendable(model.textPrefix, text))
      const embeddings: Embedding[] = []
      for (const request of planRequests(inputs, protocol)) {
        const vectors = await askForTexts(request)
        embeddings.push(...vectors.map((vector) => ({ vector, tokenBits: null })))
      }
      return embeddings
    },
    embedQuery(text) {
      return turns.question(async () => {
        checkOpen()
        checkPatience(0)
        const timeoutMs = Math.min(QUESTION_MS, settings.timeoutMs)
        const input = sendable(model.queryPrefix, beginningOf(text, maxTokens))
        const startedAt = performance.now()
        try {
          const [vector] = await ask([input], { timeoutMs, signal: closing.signal })
          return { vector: vector!, tokens: null }
        } catch (error) {
          if (error instanceof TryAgainError) {
            // The next searches do not wait for a provider that hangs.
            const hangs = performance.now() - startedAt >= timeoutMs
            turns.holdFor(error.retryAfterMs ?? (hangs ? QUESTION_MS : 0))
          }
          throw error
        }
      })
    },
    close: async () => closing.abort(),
  }
}

/** For the chunker, which only counts. */
const estimatedTokenize = (text: string): number[] => Array.from<number>({ length: estimateTokens(text) })

/** Providers refuse an empty text, and halves of a surrogate pair. */
const sendable = (prefix: string, text: string): string =>
  prefix + (text.trim() === '' ? '.' : text.toWellFormed())

function checkLength(text: string, index: number, maxTokens: number): void {
  const tokens = estimateTokens(text)
  if (tokens > maxTokens)
    throw new EmbedderError(
      'TEXT_TOO_LONG',
      `Text ${index} of the request has up to ${tokens} tokens, and at most ${maxTokens} are sent: chunk it first`,
    )
}

/** As much of a question as fits. */
function beginningOf(text: string, maxTokens: number): string {
  // A token has one character at least by our estimate, and a question needs no more than its first ones.
  let beginning = text.slice(0, maxTokens * 8)
  while (estimateTokens(beginning) > maxTokens)
    beginning = beginning.slice(0, Math.floor(beginning.length * 0.9))
  return beginning
}

/** Says when requests may be sent to a provider: questions first, and none while it asks to wait. */
interface Turns {
  /** Milliseconds until the provider takes requests again; 0 if it does. */
  waitMs(): number
  /** Sends nothing for so long. */
  holdFor(milliseconds: number): void
  /** Runs a question's request at once. */
  question<T>(run: () => Promise<T>): Promise<T>
  /** Waits until no question is under way and the provider takes requests. */
  bulk(signal: AbortSignal): Promise<void>
}

/** How long texts wait for questions at most, in milliseconds: a steady stream of them must not stop the index. */
const YIELD_MS = 2_000

/** How often a waiting request looks again. */
const LOOK_MS = 5

/** Nothing is under way, and nothing is held. */
function createTurns(): Turns {
  let heldUntil = 0
  let questions = 0
  const waitMs = () => Math.max(0, heldUntil - performance.now())
  const isAsked = () => questions > 0
  return {
    waitMs,
    holdFor(milliseconds) {
      heldUntil = Math.max(heldUntil, performance.now() + milliseconds)
    },
    async question(run) {
      questions += 1
      try {
        return await run()
      } finally {
        questions -= 1
      }
    },
    async bulk(signal) {
      // Lets a question through that is asked in the same moment.
      await setImmediate()
      const yieldsUntil = performance.now() + YIELD_MS
      while (!signal.aborted && isAsked() && performance.now() < yieldsUntil) await pause(LOOK_MS, signal)
      while (!signal.aborted && waitMs() > 0) await pause(waitMs(), signal)
    },
  }
}

/**
 * A provider's vectors, checked and scaled to length 1, which shortened ones are not.
 * @throws EmbedderError `WRONG_DIMENSION`, or `PROVIDER_REFUSED_TEXT` if vectors are missing or not numbers
 */
function unitVectors(
  vectors: readonly (readonly number[])[],
  { texts, model }: { readonly texts: number; readonly model: HttpModel },
): Float32Array[] {
  const { provider, model: name, dimension } = model
  if (vectors.length !== texts)
    throw new EmbedderError(
      'PROVIDER_REFUSED_TEXT',
      `${name} gave ${vectors.length} vectors for ${texts} texts`,
    )
  return vectors.map((numbers) => {
    if (numbers.length !== dimension)
      throw new EmbedderError(
        'WRONG_DIMENSION',
        `${name} gives vectors of ${numbers.length} numbers, not of ${dimension}: ${
          numbers.length > MAX_DIMENSION
            ? `an index takes at most ${MAX_DIMENSION}, so take another model`
            : `name it ${provider}/${name}/${numbers.length} in DAYBOOK_EMBEDDER and --model`
        }`,
      )
    const length = Math.hypot(...numbers)
    if (!Number.isFinite(length) || length === 0)
      throw new EmbedderError('PROVIDER_REFUSED_TEXT', `${name} gave a vector that has no direction`)
    return Float32Array.from(numbers, (number) => number / length)
  })
}

/** What a request for vectors used. */
export interface Usage {
  readonly modelId: string
  readonly tokens: number
  /** US dollars; null if the price is not known. */
  readonly cost: number | null
}

/** Adds up what providers charge for. */
interface UsageMeter {
  add(usage: Usage): void
  /** Reports it as metrics from now on, with what was used before. */
  countIn(metrics: Metrics): void
}

/** Nothing is used yet. */
export function createUsageMeter(): UsageMeter {
  let report: ((usage: Usage) => void) | null = null
  const before: Usage[] = []
  return {
    add(usage) {
      if (report === null) before.push(usage)
      else report(usage)
    },
    countIn(metrics) {
      const tokens = metrics.counter({
        name: 'daybook_embedding_tokens_total',
        help: 'Tokens that a provider of vectors has counted, by model',
        labels: ['model'],
      })
      const cost = metrics.counter({
        name: 'daybook_embedding_cost_usd_total',
        help: 'What they cost in US dollars, by model, where the price is known',
        labels: ['model'],
      })
      report = (usage) => {
        tokens.add(usage.tokens, { model: usage.modelId })
        if (usage.cost !== null) cost.add(usage.cost, { model: usage.modelId })
      }
      for (const usage of before.splice(0)) report(usage)
    },
  }
}

/** Words of ASCII letters; every other character is a piece of its own. */
const PIECE = /[A-Za-z]+|\S/gu

const encoder = new TextEncoder()

/**
 * How many tokens a text has at most, for models whose tokenizer is not here: one for every two letters of an ASCII
 * word, and one for each byte of any other character.
 *
 * It must not be too low, because a provider refuses a text that is too long. MiniLM's own tokenizer counts 33 to 84 %
 * of it on average, by language and kind of text, and at most 99 % in any chunk; only base64 goes beyond, to 109 %
 * (docs/measurements.md#tokens-without-a-tokenizer).
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const [piece] of text.matchAll(PIECE))
    tokens += piece.charCodeAt(0) < 0x80 ? Math.ceil(piece.length / 2) : encoder.encode(piece).length
  return tokens
}

/**
 * The most estimated tokens of a chunk for a model that takes `maxTokens`. A tenth stays free for texts that are
 * denser than any prose, such as base64. Larger models could take more, but one vector for pages of text says little
 * of each paragraph; 512 are about 250 tokens of English, as MiniLM's chunks.
 */
export const chunkTokensFor = (maxTokens: number): number => Math.min(512, Math.floor(maxTokens * 0.9))

/** Cuts texts into requests of at most so many texts and estimated tokens, in their order. */
function planRequests(
  texts: readonly string[],
  { maxTexts, maxTokens }: { readonly maxTexts: number; readonly maxTokens: number },
): string[][] {
  const requests: string[][] = []
  let request: string[] = []
  let tokens = 0
  for (const text of texts) {
    const more = estimateTokens(text)
    if (request.length > 0 && (request.length >= maxTexts || tokens + more > maxTokens)) {
      requests.push(request)
      request = []
      tokens = 0
    }
    request.push(text)
    tokens += more
  }
  if (request.length > 0) requests.push(request)
  return requests
}
