import { readFile } from 'node:fs/promises'
import { reasonOf } from '@daybook/runtime/reason-of'
import { EmbedderError } from '../embedder.ts'
import type { HttpModel } from './http-models.ts'
import {
  PROTOCOLS,
  type ProviderSettings,
  type VectorAnswer,
  type VectorRequest,
} from './provider-protocol.ts'

/** A provider that does not answer now, but may later. */
export class TryAgainError extends EmbedderError {
  /** Milliseconds that the provider asks to wait; null if it does not say. */
  readonly retryAfterMs: number | null

  constructor(message: string, retryAfterMs: number | null, options?: ErrorOptions) {
    super('PROVIDER_UNAVAILABLE', message, options)
    this.retryAfterMs = retryAfterMs
  }
}

/** The provider takes fewer texts in one request. */
export class TooManyTextsError extends EmbedderError {
  constructor(message: string) {
    super('PROVIDER_REFUSED_TEXT', message)
  }
}

/** How long to wait for the answer, and what ends the waiting. */
export interface Patience {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Most characters of a provider's own message that are passed on. */
const QUOTED = 300

/**
 * Sends one request for vectors.
 * @throws EmbedderError whose message says what to do; {@link TryAgainError} if a later try may work. None has the key
 */
export async function askProvider(
  settings: ProviderSettings,
  model: HttpModel,
  request: VectorRequest,
  { timeoutMs, signal }: Patience,
): Promise<VectorAnswer> {
  const protocol = PROTOCOLS[model.provider]
  const url = protocol.url(settings)
  const where = `${protocol.title} at ${publicUrl(url)}`
  const key = model.provider === 'openai' ? await readKey(settings.openai) : undefined
  const timeout = AbortSignal.timeout(timeoutMs)
  let status: number
  let headers: Headers
  let text: string
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(protocol.body(model, request)),
      // A key must not follow a redirect to another server.
      redirect: 'error',
      signal: AbortSignal.any([timeout, signal]),
    })
    status = response.status
    headers = response.headers
    text = await response.text()
  } catch (error) {
    if (signal.aborted) throw new EmbedderError('CLOSED', 'The embedder was closed')
    const why = timeout.aborted
      ? `did not answer within ${timeoutMs / 1_000} s`
      : `cannot be reached (${causeOf(error)})`
    throw new TryAgainError(`${where} ${why}: is it running, and is ${protocol.urlSetting} right?`, null, {
      cause: error,
    })
  }
  if (status === 200) return readAnswer(where, text, protocol.read)
  throw refusal({ where, status, headers, said: saidBy(text, key), model, many: request.texts.length > 1 })
}

function readAnswer(where: string, text: string, read: (answer: unknown) => VectorAnswer): VectorAnswer {
  try {
    return read(JSON.parse(text))
  } catch (error) {
    throw new EmbedderError('PROVIDER_REFUSED_TEXT', `${where} answers in a form that is not its API’s`, {
      cause: error,
    })
  }
}

interface Refused {
  readonly where: string
  readonly status: number
  readonly headers: Headers
  readonly said: string
  readonly model: HttpModel
  /** Whether the request had several texts. */
  readonly many: boolean
}

/** Both providers' ways to say that a text has too many tokens. */
const TOO_LONG = /maximum (?:context|input) length|context length|input length|too many tokens/iu

function refusal({ where, status, headers, said, model, many }: Refused): EmbedderError {
  const protocol = PROTOCOLS[model.provider]
  const answered = `${where} answers ${status}`
  if (status === 401 || status === 403)
    // What it says may quote the key.
    return new EmbedderError(
      'PROVIDER_REFUSED_KEY',
      `${answered}: it does not accept the key. Set OPENAI_API_KEY or OPENAI_API_KEY_FILE to one that may use ${model.model}`,
    )
  if (status === 429 || status === 408 || status >= 500)
    return new TryAgainError(`${answered}: ${said}`, retryAfterOf(headers))
  if (status === 404)
    return new EmbedderError(
      'MODEL_NOT_FOUND',
      `${answered} (${said}): it has no model ${model.model}; ${protocol.missingModel(model.model)}`,
    )
  if (TOO_LONG.test(said)) return new EmbedderError('TEXT_TOO_LONG', `${answered}: ${said}`)
  if (many && (status === 413 || status === 422)) return new TooManyTextsError(`${answered}: ${said}`)
  return new EmbedderError('PROVIDER_REFUSED_TEXT', `${answered}: ${said}`)
}

/** The provider's own words, shortened and without the key. */
function saidBy(text: string, key: string | undefined): string {
  const words = messageIn(text).replaceAll(/\s+/gu, ' ').trim()
  const safe = key === undefined ? words : words.replaceAll(key, '…')
  return safe.slice(0, QUOTED) || 'no reason given'
}

/** `{"error": {"message": …}}` (OpenAI), `{"error": …}` (Ollama), or the text itself. */
function messageIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: string | { message?: string } }
    return (typeof error === 'string' ? error : error?.message) ?? text
  } catch {
    return text
  }
}

/** The address without a password in it. */
function publicUrl(text: string): string {
  try {
    const url = new URL(text)
    return `${url.protocol}//${url.host}${url.pathname}`
  } catch {
    return 'an invalid address'
  }
}

/** `fetch` hides the reason in its cause. */
function causeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  return reasonOf(cause ?? error) || 'no reason given'
}

/**
 * How long a server asks to wait, in milliseconds: `retry-after-ms` (OpenAI), else `retry-after` in seconds or as a
 * date (RFC 9110, 10.2.3). Null if it does not say, or not in a readable form.
 */
export function retryAfterOf(headers: Headers, now: number = Date.now()): number | null {
  const milliseconds = numberOf(headers.get('retry-after-ms'))
  if (milliseconds !== null) return milliseconds
  const text = headers.get('retry-after')
  if (text === null) return null
  const seconds = numberOf(text)
  if (seconds !== null) return seconds * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\d{1,9}(\.\d+)?$/u.test(text.trim()) ? Number(text) : null
}

/** A key from the environment, or the file that holds it. */
interface KeySource {
  readonly apiKey?: string | undefined
  readonly apiKeyFile?: string | undefined
}

/**
 * The key to send, read again from its file each time; undefined if none is set.
 * @throws EmbedderError `PROVIDER_REFUSED_KEY` if the file cannot be read or is empty
 */
export async function readKey({ apiKey, apiKeyFile }: KeySource): Promise<string | undefined> {
  if (apiKeyFile === undefined) return apiKey
  const failed = (reason: string) =>
    new EmbedderError(
      'PROVIDER_REFUSED_KEY',
      `The file of OPENAI_API_KEY_FILE holds no key: ${reason}. Write the key into ${apiKeyFile}, and nothing else`,
    )
  let key: string
  try {
    key = (await readFile(apiKeyFile, 'utf8')).trim()
  } catch (error) {
    throw failed(reasonOf(error))
  }
  if (key === '') throw failed('it is empty')
  return key
}
