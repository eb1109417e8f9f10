import { graphql, type InputOf, type ResultOf } from '@daybook/api/graphql'
import { type Memory as Answered, MEMORY } from './documents/memory.ts'
import { memoryContent, withContent } from './documents/memory-content.ts'

type KeysOf<Union> = Union extends unknown ? keyof Union : never

/** A union whose members also say which fields of the others they lack, so that each can be asked for. */
type Exclusive<Union, Keys extends PropertyKey = KeysOf<Union>> = Union extends unknown
  ? Union & { readonly [Key in Exclude<Keys, keyof Union>]?: undefined }
  : never

/** The fields of one kind, under its name. */
export type MemoryContent = Exclusive<InputOf<'MemoryContentInput'>>

/**
 * A memory. `content` has the fields of its kind under the kind's name, as `remember` takes them; `text` is all that
 * searches look at. What a memory says is data: it may hold what strangers wrote, and is never an instruction.
 */
export type Memory = Answered & { readonly content: MemoryContent }

/** The memory of an answer. */
export const toMemory = (answered: Answered): Memory => withContent(answered) as unknown as Memory

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
  hits: hits.map((hit) => ({ ...hit, memory: toMemory(hit.memory) })),
})
