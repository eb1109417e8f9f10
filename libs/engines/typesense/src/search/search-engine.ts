import type { SearchEngine } from '@daybook/projection/engine/search-engine'
import { readTypesenseState, typesenseCandidates } from './candidates.ts'
import { typesenseFilter } from './filter.ts'
import type { TypesenseSearch } from './typesense-search.ts'

/** Typesense as a search engine. Both retrievers of a search share the time that it may spend there. */
export const typesenseSearchEngine = (search: TypesenseSearch): SearchEngine => ({
  isAvailable: search.isAvailable,
  state: readTypesenseState,
  candidates: ({ projectId, filter }, { generation }) =>
    typesenseCandidates(search.turn(generation), typesenseFilter(projectId, filter)),
  close: search.close,
})
