import type { RetrieversRun } from './run-retrievers.ts'
import type { MatchType } from './search-request.ts'

/** How a search was done, from the retrievers that ran. */
export function matchTypeOf({ lexical, vector }: Pick<RetrieversRun, 'lexical' | 'vector'>): MatchType {
  if (lexical !== null && vector !== null) return 'HYBRID'
  return vector === null ? 'KEYWORD' : 'SEMANTIC'
}
