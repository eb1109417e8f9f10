import type { SearchEngine } from '@daybook/search/engine/search-engine'
import { timed } from '@daybook/search/timed'
import { TYPESENSE } from '../write/generation.ts'
import { typesenseFilter } from './filter.ts'
import { typesenseLexicalRetriever } from './lexical-retriever.ts'
import type { TypesenseSearch } from './typesense-search.ts'
import { readTypesenseState } from './typesense-state.ts'
import { typesenseVectorRetriever } from './vector-retriever.ts'

/** Typesense as an engine of searches. Both retrievers of one search share the time that it may spend there. */
export function typesenseSearchEngine(search: TypesenseSearch): SearchEngine {
  return {
    isAvailable: search.isAvailable,
    state: readTypesenseState,
    retrievers(input, { generation }, filter) {
      const turn = search.turn(generation)
      const told = typesenseFilter(input.scope.projectId, filter)
      return {
        lexical: (wanted, coverage) =>
          timed(input.onRetriever, TYPESENSE, () =>
            typesenseLexicalRetriever(input, turn, told, wanted, coverage),
          ),
        vector: (query) =>
          timed(input.onRetriever, TYPESENSE, () => typesenseVectorRetriever(input, turn, told, query)),
        // Each waits for another server most of the time, not for the database.
        atOnce: true,
      }
    },
    close: search.close,
  }
}
