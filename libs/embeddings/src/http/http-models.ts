/** Where vectors are made if not on this machine's own model. */
export type ProviderName = 'openai' | 'ollama'

/** A model of a provider, as its name says and as far as Daybook knows it. */
export interface HttpModel {
  readonly provider: ProviderName
  /** The model's name at the provider: `text-embedding-3-small`. */
  readonly model: string
  /** `<provider>/<model>/<dimension>`. Never compare vectors of different ids. */
  readonly modelId: string
  /** How many numbers a vector has. */
  readonly dimension: number
  /**
   * `always` asks the provider for vectors of `dimension` numbers. `when-longer` does so once it has answered with
   * longer ones, because many servers refuse the parameter. `never` is for models that give one length only.
   */
  readonly shorten: 'always' | 'when-longer' | 'never'
  /** The longest text in the model's tokens. For unknown models 256, which nearly all of them take. */
  readonly maxTokens: number
  /** What the model expects before a text of the index, and before a question. Often nothing. */
  readonly textPrefix: string
  readonly queryPrefix: string
  /** US dollars for a million tokens at the provider itself; null if unknown or free. */
  readonly price: number | null
}

/** An index of pgvector (HNSW) takes at most this many numbers. */
export const MAX_DIMENSION = 2_000

interface KnownHttpModel {
  /** The numbers of its vectors, unless fewer are asked for. */
  readonly native: number
  readonly maxTokens: number
  /** Whether it can give shorter vectors ("Matryoshka representation learning", Kusupati et al. 2022). Default no. */
  readonly shortens?: true
  readonly textPrefix?: string
  readonly queryPrefix?: string
  readonly price?: number
}

const RETRIEVE = 'Represent this sentence for searching relevant passages: '

/*
 * Limits, prefixes and prices are those of the models' cards and of OpenAI's price list (November 2026). A changed
 * prefix makes other vectors, so it needs another model id.
 */
const KNOWN: Readonly<Record<ProviderName, Readonly<Record<string, KnownHttpModel>>>> = {
  openai: {
    'text-embedding-3-small': { native: 1_536, maxTokens: 8_192, shortens: true, price: 0.02 },
    'text-embedding-3-large': { native: 3_072, maxTokens: 8_192, shortens: true, price: 0.13 },
    'text-embedding-ada-002': { native: 1_536, maxTokens: 8_192, price: 0.1 },
  },
  ollama: {
    'nomic-embed-text': {
      native: 768,
      maxTokens: 2_048,
      shortens: true,
      textPrefix: 'search_document: ',
      queryPrefix: 'search_query: ',
    },
    'nomic-embed-text-v2-moe': {
      native: 768,
      maxTokens: 512,
      shortens: true,
      textPrefix: 'search_document: ',
      queryPrefix: 'search_query: ',
    },
    'mxbai-embed-large': { native: 1_024, maxTokens: 512, shortens: true, queryPrefix: RETRIEVE },
    'all-minilm': { native: 384, maxTokens: 256 },
    'bge-m3': { native: 1_024, maxTokens: 8_192 },
    'snowflake-arctic-embed2': { native: 1_024, maxTokens: 8_192, shortens: true, queryPrefix: 'query: ' },
    embeddinggemma: {
      native: 768,
      maxTokens: 2_048,
      shortens: true,
      textPrefix: 'title: none | text: ',
      queryPrefix: 'task: search result | query: ',
    },
  },
}

const DEFAULT_NAMES = { openai: 'text-embedding-3-small', ollama: 'nomic-embed-text' } as const

const NAME = /^(?<provider>openai|ollama)(?:\/(?<model>.+?))?(?:\/(?<dimension>[1-9]\d{0,5}))?$/u
/** No control characters and no spaces: it stands in URLs, logs and metrics. */
const MODEL = /^[\w.:@/-]{1,200}$/u

/** What is wrong with a name that begins with a provider's, and what to write instead. */
export interface HttpModelProblem {
  readonly problem: string
}

/**
 * Reads the name or id of a provider's model: `openai`, `ollama/bge-m3`, `openai/text-embedding-3-large/1024`.
 * @returns null if it does not begin with a provider's name
 */
export function parseHttpModel(name: string): HttpModel | HttpModelProblem | null {
  const { provider, model: given, dimension: digits } = NAME.exec(name)?.groups ?? {}
  if (provider !== 'openai' && provider !== 'ollama') return null
  const model = (given ?? DEFAULT_NAMES[provider]).replace(/:latest$/u, '')
  if (!MODEL.test(model)) return { problem: `${provider}/${model} is not the name of a model` }
  const known = KNOWN[provider][model]
  const asked = digits === undefined ? undefined : Number(digits)
  if (known === undefined && asked === undefined)
    return {
      problem: `say how many numbers a vector of ${model} has: ${provider}/${model}/1024, if it has 1024`,
    }
  const dimension = asked ?? Math.min(known?.native ?? 0, LONG_BY_DEFAULT)
  if (dimension > MAX_DIMENSION)
    return {
      problem: `an index takes vectors of at most ${MAX_DIMENSION} numbers, not ${dimension}: ask the model for fewer (${provider}/${model}/${LONG_BY_DEFAULT}), or take another`,
    }
  if (
    known !== undefined &&
    dimension !== known.native &&
    (known.shortens !== true || dimension > known.native)
  )
    return {
      problem: `${model} gives vectors of ${known.native} numbers, not of ${dimension}: write ${provider}/${model}`,
    }
  return {
    provider,
    model,
    modelId: `${provider}/${model}/${dimension}`,
    dimension,
    shorten: known === undefined ? 'when-longer' : dimension === known.native ? 'never' : 'always',
    maxTokens: known?.maxTokens ?? 256,
    textPrefix: known?.textPrefix ?? '',
    queryPrefix: known?.queryPrefix ?? '',
    price: known?.price ?? null,
  }
}

/** The numbers of a larger model's vectors unless fewer are asked for: as many as text-embedding-3-small gives. */
const LONG_BY_DEFAULT = 1_536
