import { hitLines } from '@daybook/memory/hit-lines'
import { safeLine } from '@daybook/memory/safe-text'
import { memoryIdOf, titleOf } from '@daybook/memory/state'
import type { SearchAnswer, SearchHit } from './search-request.ts'
import { plainSnippet } from './snippets.ts'

/** What is said of a hit beside its memory. */
export interface HitMarks {
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
  return [...(notes.length === 0 ? [] : [notes.join('\n')]), ...said].join('\n\n')
}

function renderHit(
  place: number,
  { memory, score, snippet, supersededBy }: SearchHit,
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
    version: versions ? memory.version : null,
    project,
    content: state.content,
    metadata: state.metadata,
    snippet: safeLine(plainSnippet(snippet)),
  }
  return hitLines(place, shown, now).join('\n')
}
