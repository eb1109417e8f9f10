import type { CandidateSource, WordCandidates } from '@daybook/search/retrievers/candidates/candidate-source'
import { lexemeAsWord } from '../write/lexemes.ts'
import type { TypesenseFilter } from './filter.ts'
import type { OneSearch, TypesenseTurn } from './typesense-search.ts'

/** The most hits on a page of Typesense. */
export const PAGE_MAX = 250

/**
 * Candidates that the graph search keeps. With Typesense's default of 10, filtered searches miss hits; 100
 * was enough as measured.
 */
const EF = 100

/**
 * Candidates from Typesense. Its own text match ignores how rare a word is and requires all words at once. So
 * each word is searched separately: that gives its memories, and in `found` its document frequency.
 */
export function typesenseCandidates(turn: TypesenseTurn, filter: TypesenseFilter): CandidateSource {
  return {
    words: (lexemes, limit) => askForWords(turn, filter, lexemes, Math.min(limit, PAGE_MAX)),
    async nearest(query) {
      const [answer] = await turn.ask([
        {
          q: '*',
          vector_query: `embedding:([${[...query].map(plain).join(',')}], k:${PAGE_MAX}, ef:${EF})`,
          filter_by: filter.filterBy,
          include_fields: 'memory_id,version,span_start,span_end',
          per_page: PAGE_MAX,
        },
      ])
      const hits = answer?.hits ?? []
      return {
        chunks: hits.flatMap(({ document, vector_distance: distance }) =>
          distance === undefined
            ? []
            : [
                {
                  memoryId: String(document.memory_id),
                  version: Number(document.version),
                  cosine: 1 - distance,
                  spanStart: Number(document.span_start),
                  spanEnd: Number(document.span_end),
                },
              ],
        ),
        isCutOff: hits.length >= PAGE_MAX,
      }
    },
  }
}

/** Without an exponent, which the server's parser may not accept. */
const plain = (value: number) => value.toFixed(8)

/**
 * Document frequencies count the whole project. Where a filter narrows the candidates, they are queried
 * separately.
 */
async function askForWords(
  turn: TypesenseTurn,
  { everything, known, filterBy }: TypesenseFilter,
  lexemes: readonly string[],
  page: number,
): Promise<WordCandidates[]> {
  const filters = [...new Set([filterBy, everything, known])]
  const found = await turn.ask(
    filters.flatMap((filter) =>
      lexemes.map((lexeme) => search(lexeme, filter, filter === filterBy ? page : 0)),
    ),
  )
  const within = (filter: string, index: number) => found[filters.indexOf(filter) * lexemes.length + index]
  return lexemes.map((_, index) => {
    const candidates = within(filterBy, index) ?? { found: 0, hits: [] }
    return {
      documentFrequency: within(everything, index)?.found ?? 0,
      isKnown: (within(known, index)?.found ?? 0) > 0,
      memoryIds: candidates.hits.map(({ document }) => String(document.memory_id)),
      isCutOff: candidates.found > candidates.hits.length,
    }
  })
}

const search = (lexeme: string, filterBy: string, page: number): OneSearch => ({
  q: lexemeAsWord(lexeme),
  query_by: 'lexemes',
  filter_by: `${filterBy} && chunk:=0`,
  include_fields: 'memory_id',
  highlight_fields: 'none',
  per_page: page,
  num_typos: 0,
  prefix: false,
  drop_tokens_threshold: 0,
  // By default it would look for "basket ball" if "basketball" has no match.
  split_join_tokens: 'off',
})
