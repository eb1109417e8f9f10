import type { SearchHit } from '../api/search.ts'
import { moveInList } from '../components/move-in-list.ts'
import { Snippet } from '../components/snippet.tsx'
import { MemoryLine } from './memory-line.tsx'
import { ScoreBar } from './score-bar.tsx'

/**
 * The hits of a search, best first.
 * @param ranksBeside where each memory is in the answer beside this one, from 1, if two are compared
 */
export function HitList({
  hits,
  asOf,
  label,
  ranksBeside,
}: {
  readonly hits: readonly SearchHit[]
  readonly asOf: string | null
  readonly label: string
  readonly ranksBeside?: ReadonlyMap<string, number> | undefined
}) {
  return (
    <ol class="hits" aria-label={label} onKeyDown={moveInList}>
      {hits.map((hit, index) => (
        <li key={`${hit.memory.id} ${hit.version}`} class="hit">
          <div class="hit-head">
            <ScoreBar explanation={hit.explanation} title={hit.memory.title} />
            {ranksBeside !== undefined && (
              <span class="small muted">{moved(index + 1, ranksBeside.get(hit.memory.id))}</span>
            )}
          </div>
          <MemoryLine memory={{ ...hit.memory, trust: hit.trust }} asOf={asOf} />
          <p class="hit-snippet">
            <Snippet html={hit.snippet} />
          </p>
        </li>
      ))}
    </ol>
  )
}

function moved(rank: number, beside: number | undefined): string {
  if (beside === undefined) return 'only here'
  if (beside === rank) return 'same place'
  return beside > rank ? `▲ ${beside - rank} (there: ${beside})` : `▼ ${rank - beside} (there: ${beside})`
}
