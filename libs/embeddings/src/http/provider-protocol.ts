import type { HttpModel, ProviderName } from './http-models.ts'

/** A request for vectors. */
export interface VectorRequest {
  readonly texts: readonly string[]
  /** Whether the provider is asked for vectors of the model's `dimension`. */
  readonly shorten: boolean
}

/** A provider's answer. */
export interface VectorAnswer {
  /** In the order of the texts, as the provider gave them: their number and lengths are not checked yet. */
  readonly vectors: readonly (readonly number[])[]
  /** Tokens that the provider counted; null if it did not say. */
  readonly tokens: number | null
}

/** How a provider is spoken to over HTTP. */
interface ProviderProtocol {
  /** Its name in messages: `OpenAI`. */
  readonly title: string
  /** Most texts, and most tokens by our estimate, in one request. */
  readonly maxTexts: number
  readonly maxTokens: number
  url(settings: ProviderSettings): string
  body(model: HttpModel, request: VectorRequest): unknown
  /** @throws TypeError if the answer has another form */
  read(answer: unknown): VectorAnswer
  /** What to do about a missing model, after "it has no model x". */
  readonly missingModel: (model: string) => string
  /** The setting of its address, and whether it is a list price's own. */
  readonly urlSetting: string
  hasListPrice(settings: ProviderSettings): boolean
}

interface OpenAiAnswer {
  readonly data: readonly { readonly index?: number; readonly embedding: readonly number[] }[]
  readonly usage?: { readonly total_tokens?: number }
}

interface OllamaAnswer {
  readonly embeddings: readonly (readonly number[])[]
  readonly prompt_eval_count?: number
}

/** The providers, by name. A new one is added here, in `http-models.ts` and in the settings. */
export const PROTOCOLS: Readonly<Record<ProviderName, ProviderProtocol>> = {
  openai: {
    title: 'OpenAI',
    // OpenAI takes 2,048 texts and 300,000 tokens. Many compatible servers take fewer, and smaller requests end sooner.
    maxTexts: 128,
    maxTokens: 60_000,
    url: ({ openai }) => `${withoutSlash(openai.url)}/embeddings`,
    body: ({ model, dimension }, { texts, shorten }) => ({
      model,
      input: texts,
      encoding_format: 'float',
      ...(shorten ? { dimensions: dimension } : {}),
    }),
    read(answer) {
      const { data, usage } = answer as OpenAiAnswer
      // The order is that of `index`; some compatible servers answer in another.
      const vectors = data
        .map(({ index, embedding }, i) => ({ place: index ?? i, embedding }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ embedding }) => embedding)
      return { vectors, tokens: usage?.total_tokens ?? null }
    },
    missingModel: () => 'check the model’s name, and OPENAI_BASE_URL',
    urlSetting: 'OPENAI_BASE_URL',
    hasListPrice: ({ openai }) => withoutSlash(openai.url) === OPENAI_URL,
  },
  ollama: {
    title: 'Ollama',
    // It computes one request after the other, so a question would wait for a larger one.
    maxTexts: 16,
    maxTokens: 8_192,
    url: ({ ollama }) => `${withoutSlash(ollama.url)}/api/embed`,
    body: ({ model, dimension }, { texts, shorten }) => ({
      model,
      input: texts,
      // Otherwise it cuts texts silently.
      truncate: false,
      ...(shorten ? { dimensions: dimension } : {}),
    }),
    read(answer) {
      const { embeddings, prompt_eval_count: tokens } = answer as OllamaAnswer
      return { vectors: [...embeddings], tokens: tokens ?? null }
    },
    missingModel: (model) => `get it with "ollama pull ${model}"`,
    urlSetting: 'OLLAMA_URL',
    hasListPrice: () => false,
  },
}

const withoutSlash = (url: string): string => url.replace(/\/+$/u, '')

/** How the providers of vectors are reached. All keys stay in the process: no message or log line has them. */
export interface ProviderSettings {
  readonly openai: {
    /** Address of an API that speaks as OpenAI's does: `https://api.openai.com/v1`. */
    readonly url: string
    readonly apiKey?: string | undefined
    /** File with the key, read for each request so that a new key needs no restart. */
    readonly apiKeyFile?: string | undefined
  }
  readonly ollama: {
    /** `http://127.0.0.1:11434` */
    readonly url: string
  }
  /** Longest time for one request of texts, in milliseconds. */
  readonly timeoutMs: number
  /** US dollars for a million tokens. Undefined: the list price if the provider itself is asked, else unknown. */
  readonly price?: number | undefined
}

/** OpenAI's own address, for which list prices hold. */
const OPENAI_URL = 'https://api.openai.com/v1'
