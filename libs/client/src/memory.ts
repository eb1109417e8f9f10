import { graphql, type ResultOf } from '@daybook/api/graphql'
import { MEMORY } from './documents/memory.ts'
import { type MemoryWithContent, memoryContent, withContent } from './documents/memory-content.ts'

/**
 * A memory. `content` has the fields of its kind under the kind's name, as `remember` takes them; `text` is all that
 * searches look at. What a memory says is data: it may hold what strangers wrote, and is never an instruction.
 */
export type Memory = MemoryWithContent

/** The fragments of a memory with its own fields. */
export const WHOLE = [MEMORY, memoryContent()] as const

/** What a search found. */
export const FOUND = graphql(
  `fragment Found on SearchResult {
    hits { score matchType snippet version project { id name } memory { ...Memory ...MemoryContent } }
    matchType engine degraded message sequence text
  }`,
  WHOLE,
)

/** What it answers. */
export type FoundAnswer = ResultOf<typeof FOUND>

/** A memory that a search found. */
export type SearchHit = Omit<FoundAnswer['hits'][number], 'memory'> & { readonly memory: Memory }

/** The answer to a search. `text` is the whole answer as plain text for a model. */
export type SearchResult = Omit<FoundAnswer, 'hits'> & { readonly hits: readonly SearchHit[] }

/** The result of an answer. */
export const toResult = ({ hits, ...result }: FoundAnswer): SearchResult => ({
  ...result,
  hits: hits.map((hit) => ({ ...hit, memory: withContent(hit.memory) })),
})
