import type { ProjectScope } from '@daybook/postgres/project-scope'
import {
  CANDIDATES_MAX,
  type CandidateSource,
  type EngineState,
  type WordCandidates,
} from '@daybook/projection/engine/search-engine'
import { sql } from 'kysely'
import { TYPESENSE, TYPESENSE_LAYOUT } from '../write/generation.ts'
import { lexemeAsWord } from '../write/writer.ts'
import type { TypesenseFilter } from './filter.ts'
import type { OneSearch, TypesenseResult, TypesenseTurn } from './typesense-search.ts'

/**
 * Candidates that the graph search keeps. With Typesense's default of 10, filtered searches miss hits; 100
 * was enough as measured.
 */
const EF = 100

/**
 * Of the memories of a word the server lists the newest. Counting all takes it 1.1 µs for each, so where there are
 * more than this it looks at one in twenty, which are more than any search wants.
 */
const SAMPLED_ABOVE = 20_000

const SAMPLE_PERCENT = 5

/**
 * Candidates from Typesense. Its own text match ignores how rare a word is and requires all words at once. So
 * each word is searched separately: that gives its memories, and in `found` its document frequency.
 */
export function typesenseCandidates(turn: TypesenseTurn, filter: TypesenseFilter): CandidateSource {
  return {
    words: (lexemes, limit) => askForWords(turn, filter, lexemes, limit),
    async nearest(query) {
      const [found] = await turn.ask([{ ...nearestTo(query, filter.filterBy), ...memoryIds(CANDIDATES_MAX) }])
      return { memoryIds: idsIn(found), isCutOff: (found?.found ?? 0) >= CANDIDATES_MAX }
    },
  }
}

/**
 * Document frequencies count the whole project. Where a filter narrows the candidates, they are queried
 * separately.
 */
async function askForWords(
  turn: TypesenseTurn,
  { everything, known, filterBy }: TypesenseFilter,
  lexemes: readonly string[],
  most: number,
): Promise<WordCandidates[]> {
  const filters = [...new Set([filterBy, everything, known])]
  const found = await turn.ask(
    filters.flatMap((filter) =>
      lexemes.map((lexeme) => ({
        ...memoriesWith(lexeme, filter),
        ...(filter === filterBy && memoryIds(most)),
      })),
    ),
  )
  const within = (filter: string, index: number) => found[filters.indexOf(filter) * lexemes.length + index]
  return lexemes.map((_, index) => {
    const candidates = within(filterBy, index)
    const ids = idsIn(candidates)
    return {
      documentFrequency: within(everything, index)?.found ?? 0,
      isKnown: (within(known, index)?.found ?? 0) > 0,
      memoryIds: ids,
      isCutOff: (candidates?.found ?? 0) > ids.length,
    }
  })
}

/** Counts the nearest chunks only, at most `CANDIDATES_MAX`. */
export const nearestTo = (query: Float32Array, filterBy: string): OneSearch => ({
  q: '*',
  vector_query: `embedding:([${[...query].map(plain).join(',')}], k:${CANDIDATES_MAX}, ef:${EF})`,
  filter_by: filterBy,
  per_page: 0,
})

/** Without an exponent, which the server's parser may not accept. */
const plain = (value: number) => value.toFixed(8)

/** Counts the memories with a word only. */
export const memoriesWith = (lexeme: string, filterBy: string): OneSearch => ({
  q: lexemeAsWord(lexeme),
  query_by: 'lexemes',
  filter_by: `${filterBy} && chunk:=0`,
  per_page: 0,
  num_typos: 0,
  prefix: false,
  drop_tokens_threshold: 0,
  // By default it would look for "basket ball" if "basketball" has no match.
  split_join_tokens: 'off',
})

/**
 * Lists the memories of what is found as the values of a facet. For a page of hits the server would read each
 * document, with its vector: 250 of them took it 55 ms, and 250 values 8.
 */
const memoryIds = (most: number): OneSearch => ({
  facet_by: 'memory_id',
  max_facet_values: most,
  // Otherwise it walks over all memories for a word that half of them have.
  facet_strategy: 'exhaustive',
  facet_sample_percent: SAMPLE_PERCENT,
  facet_sample_threshold: SAMPLED_ABOVE,
})

/** A value that was deleted while the server counted comes without its text. */
const idsIn = (found: TypesenseResult | undefined): string[] =>
  found?.facet_counts[0]?.counts.flatMap(({ value }) => (value === '' ? [] : [value])) ?? []

interface StateRow {
  readonly generation: number
  readonly model_id: string
  readonly dimension: number
  readonly position: number
  readonly pending: number
}

/**
 * Reads the live generation's state in a project. Null before the projector's first start, and while the live generation is
 * one that this version of Daybook cannot search, which is rebuilt.
 */
export async function readTypesenseState({ db, projectId }: ProjectScope): Promise<EngineState | null> {
  const { rows } = await sql<StateRow>`
    select g.generation, g.model_id, g.dimension,
      coalesce((select position from positions p where p.projection = g.projection
        and p.generation = g.generation and p.project_id = ${projectId}), 0) as position,
      (select count(*) from typesense_pending_vectors v
        where v.generation = g.generation and v.project_id = ${projectId}) as pending
    from generations g where g.projection = ${TYPESENSE} and g.status = 'live'
      and g.layout_version = ${TYPESENSE_LAYOUT.layoutVersion}`.execute(db)
  const row = rows[0]
  if (row === undefined) return null
  const { generation, model_id: modelId, dimension, position, pending } = row
  return { generation: { projection: TYPESENSE, generation, modelId, dimension }, position, pending }
}
