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
export const OPENAI_URL = 'https://api.openai.com/v1'
