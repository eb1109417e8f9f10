import type { TextSpan } from '@daybook/embeddings/embedder'
import { languageOf } from '@daybook/lexical-index/language'
import { embeddedTextOf, type Memory, type MemoryState, textOf } from '@daybook/memory/state'
import type { Searched } from './engine/search-engines.ts'
import type { ParsedQuery } from './query/query.ts'
import type { RankedHit } from './ranking/rank.ts'
import type { VectorHit } from './retrievers/postgres/vector-retriever.ts'
import type { SearchParts } from './search-parts.ts'
import type { SearchHit } from './search-request.ts'
import { snippets } from './snippets.ts'
import type { Succeeded } from './superseded.ts'

/**
 * Makes hits of ranked memories: with their content, a snippet, and the explanation of their score. A memory that
 * has expired since the retrievers found it is left out.
 *
 * @param memories the content, by id
 * @param passages of long texts that match best (`late-interaction/best-passages.ts`)
 */
export async function presentHits(
  { scope, readModel }: SearchParts,
  query: ParsedQuery,
  ranked: readonly Succeeded<RankedHit>[],
  memories: ReadonlyMap<string, Memory>,
  { vector, generation }: Searched,
  passages: ReadonlyMap<string, TextSpan>,
): Promise<SearchHit[]> {
  const found = ranked.flatMap((hit) => {
    const memory = memories.get(hit.memoryId)
    return memory === undefined ? [] : [{ hit, memory }]
  })
  const spans = new Map(vector?.map((hit) => [hit.memoryId, hit]))
  const texts = found.map(({ hit, memory }) => {
    const best = passages.get(hit.memoryId)
    if (best !== undefined) return embeddedTextOf(memory.state).slice(best.start, best.end)
    return passage(memory.state, hit, spans.get(hit.memoryId))
  })
  const marked = await snippets(scope.db, query.wanted, texts, languageOf(readModel.tables, scope.projectId))
  const modelId = vector === null ? null : generation.modelId
  return found.map(({ hit, memory }, index) => ({
    memory,
    score: hit.score,
    ...(hit.supersededBy !== undefined && { supersededBy: hit.supersededBy }),
    matchType: hit.matchType,
    snippet: marked[index] ?? '',
    passage: texts[index] ?? '',
    explanation: { ...hit.explanation, generation: generation.generation, modelId },
  }))
}

/** The text for the snippet: all of it if words matched, else the nearest chunk. */
function passage(state: MemoryState, hit: RankedHit, span: VectorHit | undefined): string {
  if (hit.matchType !== 'SEMANTIC' || span === undefined) return textOf(state)
  return embeddedTextOf(state).slice(span.spanStart, span.spanEnd)
}
