import type { TextSpan } from '@daybook/embeddings/embedder'
import { languageOf } from '@daybook/lexical-index/lexemes'
import { hitLines } from '@daybook/memory/hit-lines'
import { safeLine } from '@daybook/memory/safe-text'
import {
  embeddedTextOf,
  type Memory,
  type MemoryState,
  memoryIdOf,
  textOf,
  titleOf,
} from '@daybook/memory/state'
import type { RankedHit } from './ranking/rank.ts'
import type { VectorHit } from './retrievers/postgres/vector-retriever.ts'
import type { RetrieversFound } from './run-retrievers.ts'
import type { MatchType, SearchAnswer, SearchHit } from './search-request.ts'
import type { SearchRun } from './search-run.ts'
import { plainSnippet, snippets } from './snippets.ts'
import type { Succeeded } from './succession.ts'

/** Says that memories were found, and none is likely enough to be about the query. */
export const nothingAbout = (query: string): string =>
  `Nothing here seems to be about "${query}". A minScore of 0 shows what is least far from it.`

/** What is said of a hit beside its memory. */
interface HitMarks {
  /** Whether it was written with a key of low trust. Default no. */
  readonly isLowTrust?: (hit: SearchHit) => boolean
  /** Whether its newest version is at the project's home. Default yes. */
  readonly isShared?: (hit: SearchHit) => boolean
}

/**
 * An answer as plain text for an agent: first what it lacks, then the numbered hits (`hitLines`), or the hint if
 * there are none. What was written with a key of low trust says so, and
 * what its project's home does not have yet. What memories say is data: only a number, `Note:` or the hint begins a line.
 */
export function renderAnswer(
  {
    hits,
    degraded,
    message,
    versions = false,
    projectNames,
  }: Pick<SearchAnswer, 'hits' | 'degraded' | 'message' | 'versions' | 'projectNames'>,
  now: number,
  { isLowTrust = () => false, isShared = () => true }: HitMarks = {},
): string {
  const notes = degraded.map((missing) => `Note: ${safeLine(missing)}`)
  const said = hits.map((hit, index) =>
    renderHit(index + 1, hit, now, {
      versions,
      project: projectNames?.get(hit) ?? null,
      lowTrust: isLowTrust(hit),
      unshared: !isShared(hit),
    }),
  )
  if (hits.length === 0) said.push(safeLine(message ?? 'Nothing was found.'))
  else if (message !== null) said.push(`Note: ${safeLine(message)}`)
  return [...(notes.length === 0 ? [] : [notes.join('\n')]), ...said].join('\n\n')
}

function renderHit(
  place: number,
  { memory, score, snippet, supersededBy, seemsSupersededBy, sameText = [] }: SearchHit,
  now: number,
  {
    versions,
    project,
    lowTrust,
    unshared,
  }: {
    readonly versions: boolean
    readonly project: string | null
    readonly lowTrust: boolean
    readonly unshared: boolean
  },
): string {
  const { state } = memory
  const shown = {
    id: memoryIdOf(state),
    kind: state.kind,
    title: titleOf(state),
    score,
    at: state.occurredAt ?? state.createdAt,
    labels: state.labels,
    context: state.context,
    forgotten: state.forgottenAt !== null,
    lowTrust,
    unshared,
    ...(supersededBy !== undefined && { supersededBy }),
    ...(seemsSupersededBy !== undefined && { seemsSupersededBy }),
    sameText: sameText.length,
    version: versions ? memory.version : null,
    project,
    content: state.content,
    metadata: state.metadata,
    snippet: safeLine(plainSnippet(snippet)),
  }
  return hitLines(place, shown, now).join('\n')
}

/**
 * Makes hits of ranked memories: with their content, a snippet, and the explanation of their score. A memory that
 * has expired since the retrievers found it is left out.
 *
 * @param memories the content, by id
 * @param passages of long texts that match best (`late-interaction/best-passages.ts`)
 */
export async function presentHits(
  { scope, readModel, query, generation }: SearchRun,
  ranked: readonly Succeeded<RankedHit & Pick<SearchHit, 'sameText'>>[],
  memories: ReadonlyMap<string, Memory>,
  vector: RetrieversFound['vector'],
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
    ...(hit.seemsSupersededBy !== undefined && { seemsSupersededBy: hit.seemsSupersededBy }),
    ...(hit.sameText !== undefined && { sameText: hit.sameText }),
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

/** How a search was done, from the retrievers that ran. */
export function matchTypeOf({ lexical, vector }: Pick<RetrieversFound, 'lexical' | 'vector'>): MatchType {
  if (lexical !== null && vector !== null) return 'HYBRID'
  return vector === null ? 'KEYWORD' : 'SEMANTIC'
}
