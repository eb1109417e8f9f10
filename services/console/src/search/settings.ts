import type { MemoryFilter } from '../api/search.ts'

/** How a search is made: the settings that can be compared side by side. */
export interface Method {
  readonly mode: 'HYBRID' | 'KEYWORD' | 'SEMANTIC'
  readonly engine: 'AUTO' | 'POSTGRES' | 'TYPESENSE'
  readonly ranking: 'DEFAULT' | 'RRF'
}

/** All that decides what the search page shows. It stands in the address. */
export interface SearchSettings {
  readonly query: string
  /** The most hits. */
  readonly limit: number
  readonly kinds: readonly string[]
  readonly labels: readonly string[]
  readonly categories: readonly string[]
  readonly context: string | null
  readonly agent: string | null
  readonly minTrust: 'NORMAL' | 'HIGH' | null
  /** RFC 3339; null: now. */
  readonly asOf: string | null
  /** The id of the memory that is shown beside the list; null: the first one. */
  readonly chosen: string | null
  readonly method: Method
  /** The second method, if two are compared. */
  readonly other: Method | null
}

/** How many hits there are at first, and what "more" leads to; the API gives at most 100. */
export const LIMITS = [20, 50, 100] as const

const MODES = ['HYBRID', 'KEYWORD', 'SEMANTIC'] as const
const ENGINES = ['AUTO', 'POSTGRES', 'TYPESENSE'] as const
const RANKINGS = ['DEFAULT', 'RRF'] as const
const TRUSTS = ['NORMAL', 'HIGH'] as const

/** Reads the address. What it does not say, or says wrongly, is as usual. */
export function readSettings(params: URLSearchParams): SearchSettings {
  const asOf = params.get('asOf')
  return {
    query: params.get('q') ?? '',
    limit: LIMITS.find((one) => String(one) === params.get('limit')) ?? LIMITS[0],
    kinds: params.getAll('kind'),
    labels: params.getAll('label'),
    categories: params.getAll('category'),
    context: params.get('context'),
    agent: params.get('agent'),
    minTrust: among(TRUSTS, params.get('trust')),
    asOf: asOf !== null && !Number.isNaN(Date.parse(asOf)) ? asOf : null,
    chosen: params.get('chosen'),
    method: readMethod(params, ''),
    other: params.get('compare') === '1' ? readMethod(params, 'b.') : null,
  }
}

/** The parameters of the address that a method has. @param prefix `b.` for the second one */
export const methodParams = (method: Method, prefix: '' | 'b.'): Record<string, string | null> => ({
  [`${prefix}mode`]: method.mode === 'HYBRID' ? null : method.mode,
  [`${prefix}engine`]: method.engine === 'AUTO' ? null : method.engine,
  [`${prefix}ranking`]: method.ranking === 'DEFAULT' ? null : method.ranking,
})

/** The filter that the API takes; undefined if nothing is filtered. */
export function filterOf({
  kinds,
  labels,
  categories,
  context,
  agent,
  minTrust,
}: SearchSettings): MemoryFilter | undefined {
  const filter = {
    ...(kinds.length > 0 && { kinds: kinds as NonNullable<MemoryFilter['kinds']> }),
    ...(labels.length > 0 && { labelsAll: labels }),
    ...(categories.length > 0 && { categories }),
    ...(context !== null && { context }),
    ...(agent !== null && { agent }),
    ...(minTrust !== null && { minTrust }),
  }
  return Object.keys(filter).length === 0 ? undefined : filter
}

function readMethod(params: URLSearchParams, prefix: string): Method {
  return {
    mode: among(MODES, params.get(`${prefix}mode`)) ?? 'HYBRID',
    engine: among(ENGINES, params.get(`${prefix}engine`)) ?? 'AUTO',
    ranking: among(RANKINGS, params.get(`${prefix}ranking`)) ?? 'DEFAULT',
  }
}

const among = <Word extends string>(words: readonly Word[], text: string | null): Word | null =>
  words.find((word) => word === text) ?? null
