import type { Collection } from './collection.ts'
import { facetCounts, facetField } from './facets.ts'
import { highlightsOf } from './highlight.ts'
import { type FoundHit, hitsOf } from './hits.ts'
import { filtered } from './match-filter.ts'
import { RequestFailure } from './reply.ts'
import { checkFacetStrategy, readSearchParams, type SearchParams } from './search-params.ts'
import { sortHits } from './sort-hits.ts'
import { queryFields, queryWords } from './text-search.ts'
import { readVectorQuery } from './vector-query.ts'

/**
 * Runs one search.
 * @param restriction a filter from a scoped key; what it hides does not exist for the search
 * @throws RequestFailure with the server's message
 */
export function search(
  collection: Collection,
  given: Readonly<Record<string, unknown>>,
  restriction = '',
): Record<string, unknown> {
  const params = readSearchParams(given)
  // Checks are made in the server's order, because it reports the first problem.
  if (params.vectorQuery !== '') readVectorQuery(collection, params.vectorQuery, params.perPage)
  queryFields(collection, params.queryBy)
  const both = [restriction, params.filterBy].filter((one) => one.trim() !== '')
  const allowed = filtered(
    collection,
    both.length < 2 ? (both[0] ?? '') : both.map((one) => `(${one})`).join(' && '),
  )
  for (const name of params.facetBy) facetField(collection, name)
  checkFacetStrategy(given.facet_strategy, params.facetBy.length)
  if (params.perPage > 250) throw new RequestFailure(422, 'Only upto 250 hits can be fetched per page.')
  const hits = sortHits(collection, params, hitsOf(collection, params, allowed))
  const stored = hits.map((hit) => hit.stored)
  const words = params.q === '*' ? [] : queryWords(collection, params)
  const show = (hit: FoundHit) => present(collection, params, words, hit)
  const rest = {
    out_of: restriction === '' ? collection.documents.size : filtered(collection, restriction).all.length,
    ...(params.isOffset ? { offset: params.offset } : { page: params.page }),
    request_params: {
      collection_name: collection.schema.name,
      first_q: params.q,
      per_page: params.perPage,
      q: params.q,
    },
    search_cutoff: false,
    search_time_ms: 0,
  }
  const facet_counts = facetCounts(collection, params, stored)
  const onPage = <Item>(items: readonly Item[]) => items.slice(params.offset, params.offset + params.perPage)
  if (params.groupBy.length === 0)
    return { facet_counts, found: hits.length, hits: onPage(hits).map(show), ...rest }
  const groups = new Map<string, { key: unknown[]; hits: FoundHit[] }>()
  for (const hit of hits) {
    const key = params.groupBy.map((name) => hit.stored.document[name])
    const group = groups.get(JSON.stringify(key)) ?? { key, hits: [] }
    groups.set(JSON.stringify(key), group)
    group.hits.push(hit)
  }
  return {
    facet_counts,
    found: groups.size,
    found_docs: hits.length,
    grouped_hits: onPage([...groups.values()]).map((group) => ({
      found: group.hits.length,
      group_key: group.key,
      hits: group.hits.slice(0, params.groupLimit).map(show),
    })),
    ...rest,
  }
}

function present(collection: Collection, params: SearchParams, words: readonly string[], hit: FoundHit) {
  const { include, exclude } = { include: params.includeFields, exclude: params.excludeFields }
  const document = Object.fromEntries(
    Object.entries(hit.stored.document).filter(
      ([name]) => (include.length === 0 || include.includes(name)) && !exclude.includes(name),
    ),
  )
  const hybrid =
    hit.fusion === undefined ? {} : { hybrid_search_info: { rank_fusion_score: Math.fround(hit.fusion) } }
  const vector = hit.distance === undefined ? {} : { vector_distance: hit.distance }
  if (words.length === 0) return { document, highlight: {}, highlights: [], ...vector }
  const text = hit.text
  return {
    document,
    ...highlightsOf(collection, params, words, hit.stored, text?.matches ?? []),
    ...hybrid,
    text_match: text?.text.score ?? 0,
    text_match_info: {
      best_field_score: String(text?.text.bestFieldScore ?? 0),
      best_field_weight: text?.text.bestFieldWeight ?? 0,
      fields_matched: text?.text.fieldsMatched ?? 0,
      num_tokens_dropped: text?.dropped ?? words.length,
      score: String(text?.text.score ?? 0),
      tokens_matched: text?.text.tokensMatched ?? 0,
      typo_prefix_score: text === undefined ? 255 : text.text.cost,
    },
    ...vector,
  }
}
