import { setMaxListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import type { Embedder, Embedding } from '../embedder.ts'
import { EmbedderError } from '../embedder-error.ts'
import { createChunker } from '../minilm/chunk-text.ts'
import { askProvider, type Patience, TooManyTextsError, TryAgainError } from './ask-provider.ts'
import { chunkTokensFor, estimateTokens } from './estimate-tokens.ts'
import type { HttpModel } from './http-models.ts'
import { planRequests } from './plan-requests.ts'
import { PROTOCOLS } from './provider-protocol.ts'
import type { ProviderSettings } from './provider-settings.ts'
import { createTurns } from './turns.ts'
import { unitVectors } from './unit-vectors.ts'
import type { Usage } from './usage.ts'

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
 * once, and texts let them pass. The tokens of a text are estimated (`estimate-tokens.ts`), because only the provider
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
