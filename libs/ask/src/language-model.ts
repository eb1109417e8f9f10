import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { readKey } from '@daybook/embeddings/http/ask-provider'
import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import type { Config } from '@daybook/runtime/config'
import { reasonOf } from '@daybook/runtime/reason-of'
import { APICallError, RetryError, streamText } from 'ai'
import type { Prompt } from './prompts.ts'

/** A piece of what a model says, or at the end what it used. */
export type Said =
  | { readonly text: string }
  | { readonly inputTokens: number | null; readonly outputTokens: number | null }

/** A language model behind an endpoint. */
export interface LanguageModel {
  /** `<provider>/<model>` */
  readonly name: string
  /**
   * What it says, piece by piece.
   * @throws DaybookError UNAVAILABLE or CONFIGURATION that says what to do. It does not hold the key
   */
  say(prompt: Prompt, signal: AbortSignal): AsyncGenerator<Said, void>
}

const NAME = /^(openai|ollama)\/(.+)$/u

/** The model of `DAYBOOK_ASK_MODEL`; null if none is set. */
export function openLanguageModel({
  ask,
  providers,
}: Pick<Config, 'ask' | 'providers'>): LanguageModel | null {
  const [, provider, model] = NAME.exec(ask.model ?? '') ?? []
  if (provider === undefined || model === undefined) return null
  const isOpenAi = provider === 'openai'
  const base = isOpenAi ? providers.openai.url : `${providers.ollama.url.replace(/\/+$/u, '')}/v1`
  return {
    name: `${provider}/${model}`,
    async *say({ system, user }, signal) {
      const timeout = AbortSignal.timeout(ask.timeoutMs)
      try {
        // Read for each request, so that a new key in its file needs no restart.
        const apiKey = isOpenAi ? await readKey(providers.openai) : undefined
        const open = createOpenAICompatible({
          name: provider,
          baseURL: base,
          includeUsage: true,
          ...(apiKey === undefined ? {} : { apiKey }),
        })
        const { fullStream } = streamText({
          model: open(model),
          system,
          prompt: user,
          temperature: 0,
          maxRetries: 2,
          abortSignal: AbortSignal.any([signal, timeout]),
          // Failures are parts of the stream; without this, they are printed too.
          onError: () => {},
        })
        for await (const part of fullStream) {
          if (part.type === 'text-delta') yield { text: part.text }
          else if (part.type === 'error') throw part.error
          else if (part.type === 'abort') break
          else if (part.type === 'finish')
            yield {
              inputTokens: part.totalUsage.inputTokens ?? null,
              outputTokens: part.totalUsage.outputTokens ?? null,
            }
        }
      } catch (error) {
        if (!signal.aborted && !timeout.aborted) throw failureOf(error, { base, isOpenAi, model })
      }
      if (timeout.aborted && !signal.aborted)
        throw new UnavailableError(
          `${model} at ${base} did not end its answer within ${ask.timeoutMs / 1_000} s (DAYBOOK_ASK_TIMEOUT)`,
        )
    },
  }
}

function failureOf(
  error: unknown,
  { base, isOpenAi, model }: { readonly base: string; readonly isOpenAi: boolean; readonly model: string },
): DaybookError {
  if (error instanceof DaybookError) return error
  const last = RetryError.isInstance(error) ? error.lastError : error
  if (!APICallError.isInstance(last))
    return new UnavailableError(`${model} at ${base} does not answer: ${reasonOf(last)}`)
  const { statusCode } = last
  // What it says then may quote the key.
  if (statusCode === 401 || statusCode === 403)
    return new DaybookError(
      'CONFIGURATION',
      `${base} answers ${statusCode}: it does not accept the key. Set OPENAI_API_KEY or OPENAI_API_KEY_FILE`,
    )
  if (statusCode === 404)
    return new DaybookError(
      'CONFIGURATION',
      `${base} has no model ${model}: ${isOpenAi ? 'check DAYBOOK_ASK_MODEL and OPENAI_BASE_URL' : `get it with "ollama pull ${model}"`}`,
    )
  const answered = statusCode === undefined ? 'cannot be reached' : `answers ${statusCode}`
  return new UnavailableError(
    `${base} ${answered}: ${last.message.slice(0, 300)}${statusCode === undefined ? `. Is it running, and is ${isOpenAi ? 'OPENAI_BASE_URL' : 'OLLAMA_URL'} right?` : ''}`,
  )
}
