import { RequestFailure } from './reply.ts'

/** The parameters of a search, with the server's defaults. */
export interface SearchParams {
  readonly q: string
  readonly queryBy: readonly string[]
  readonly filterBy: string
  readonly sortBy: string
  readonly facetBy: readonly string[]
  readonly maxFacetValues: number
  /** Where more than `threshold` are found, only so many percent of them are counted. */
  readonly facetSample: { readonly percent: number; readonly threshold: number }
  readonly groupBy: readonly string[]
  readonly groupLimit: number
  readonly vectorQuery: string
  readonly rerank: boolean
  readonly numTypos: number
  /** Patterns of words in which typos are not forgiven. */
  readonly exactWords: readonly RegExp[]
  readonly prefix: boolean
  readonly typoTokensThreshold: number
  readonly dropTokensThreshold: number
  readonly dropTokensMode: string
  readonly perPage: number
  readonly page: number
  readonly offset: number
  /** Whether the page was given as an offset, which the answer then says instead. */
  readonly isOffset: boolean
  readonly includeFields: readonly string[]
  readonly excludeFields: readonly string[]
  readonly highlightFields: readonly string[] | null
  readonly highlightFullFields: readonly string[]
  readonly highlightAffix: number
  readonly highlightStart: string
  readonly highlightEnd: string
  readonly snippetThreshold: number
}

const UNSIGNED = /^\d+$/

const FACET_STRATEGIES = new Set(['exhaustive', 'top_values', 'automatic'])

const list = (value: unknown) =>
  String(value ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** @throws RequestFailure with the server's message, which comes after that of a field that is no facet */
export function checkFacetStrategy(given: unknown, facets: number): void {
  const strategies = list(given)
  const wrong = strategies.find((one) => !FACET_STRATEGIES.has(one))
  if (wrong !== undefined) throw new RequestFailure(400, `Invalid facet index type: ${wrong}`)
  if (strategies.length > 1 && strategies.length !== facets)
    throw new RequestFailure(400, 'Size of facet_index_type does not match size of facets.')
}

/** Reads the parameters of a search. @throws RequestFailure with the server's message */
export function readSearchParams(given: Readonly<Record<string, unknown>>): SearchParams {
  const number = (name: string, fallback: number) => {
    const text = given[name] === undefined ? String(fallback) : String(given[name])
    if (!UNSIGNED.test(text))
      throw new RequestFailure(400, `Parameter \`${name}\` must be an unsigned integer.`)
    return Number(text)
  }
  const isOff = (name: string) => String(given[name]) === 'false'
  if (given.q === undefined) throw new RequestFailure(400, 'Parameter `q` is required.')
  const perPage = number('per_page', number('limit', 10))
  const page = Math.max(number('page', 1), 1)
  // An unreadable entry ends the list silently, which is then too short.
  const listed = list(given.num_typos ?? '2')
  const unreadable = listed.findIndex((one) => !UNSIGNED.test(one))
  const typos = (unreadable === -1 ? listed : listed.slice(0, unreadable)).map(Number)
  const queryBy = list(given.query_by)
  const facetSample = {
    percent: number('facet_sample_percent', 100),
    threshold: number('facet_sample_threshold', 0),
  }
  if (!list(given.sort_by).every((one) => one.includes(':')))
    throw new RequestFailure(400, 'Parameter `sort_by` is malformed.')
  if (given.q !== '*' && queryBy.length === 0)
    throw new RequestFailure(400, 'No search fields specified for the query.')
  if (queryBy.length > 0 && typos.length !== 1 && typos.length !== queryBy.length)
    throw new RequestFailure(
      400,
      'Number of values in `num_typos` does not match number of `query_by` fields.',
    )
  if (facetSample.percent > 100)
    throw new RequestFailure(400, 'Value of `facet_sample_percent` must be less than 100.')
  return {
    q: String(given.q),
    queryBy,
    filterBy: String(given.filter_by ?? ''),
    sortBy: String(given.sort_by ?? ''),
    facetBy: list(given.facet_by),
    maxFacetValues: number('max_facet_values', 10),
    facetSample,
    groupBy: list(given.group_by),
    groupLimit: number('group_limit', 3),
    vectorQuery: String(given.vector_query ?? ''),
    rerank: String(given.rerank_hybrid_matches) === 'true',
    numTypos: Math.min(typos[0] ?? 2, 2),
    exactWords: [
      ...(isOff('enable_typos_for_numerical_tokens') ? [/^\p{N}+$/u] : []),
      ...(isOff('enable_typos_for_alpha_numerical_tokens') ? [/\p{L}.*\p{N}|\p{N}.*\p{L}/u] : []),
    ],
    prefix: !String(given.prefix ?? 'true').startsWith('false'),
    typoTokensThreshold: number('typo_tokens_threshold', 1),
    dropTokensThreshold: number('drop_tokens_threshold', 1),
    dropTokensMode: String(given.drop_tokens_mode ?? 'right_to_left'),
    perPage,
    page,
    offset: given.offset === undefined ? (page - 1) * perPage : number('offset', 0),
    isOffset: given.offset !== undefined,
    includeFields: list(given.include_fields),
    excludeFields: list(given.exclude_fields),
    highlightFields: given.highlight_fields === undefined ? null : list(given.highlight_fields),
    highlightFullFields: list(given.highlight_full_fields),
    highlightAffix: number('highlight_affix_num_tokens', 4),
    highlightStart: String(given.highlight_start_tag ?? '<mark>'),
    highlightEnd: String(given.highlight_end_tag ?? '</mark>'),
    snippetThreshold: number('snippet_threshold', 30),
  }
}
