import type { MemoryFilter } from '@daybook/memory/filter'
import { type Memory, textOf } from '@daybook/memory/state'
import { filterCondition } from '@daybook/pgvector/read/filter'
import { readMemories } from '@daybook/pgvector/read/read-memories'
import { findNeighbours } from '../retrievers/postgres/neighbours-retriever.ts'
import type { SearchParts } from '../search-parts.ts'
import type { SearchHit } from '../search-request.ts'
import { neededNeighbours } from './needed-neighbours.ts'

/** The memories that belong beside a hit; null where none is needed. */
export interface Beside {
  readonly before: Memory | null
  readonly after: Memory | null
}

/**
 * The neighbours without which hits are hard to understand, by the hit's id. They satisfy the filter, too.
 */
export async function readBeside(
  parts: SearchParts,
  filter: MemoryFilter,
  hits: readonly SearchHit[],
): Promise<ReadonlyMap<string, Beside>> {
  const { scope, readModel } = parts
  const { neighbourhoods, eligible } = await findNeighbours(
    {
      scope,
      readModel,
      condition: filterCondition(readModel.tables, filter),
      includeForgotten: filter.includeForgotten === true,
      limit: hits.length,
    },
    hits.map(({ memory }) => memory.state.id),
  )
  const nearest = [...neighbourhoods.values()].flatMap(({ before, after }) => [before[0], after[0]])
  const ids = [...new Set(nearest)].filter((id) => id !== undefined && eligible.has(id)) as string[]
  const memories =
    ids.length === 0 ? new Map<string, Memory>() : await readMemories(scope, readModel.tables, ids)
  const said = (id: string) => {
    const memory = memories.get(id)
    return memory && textOf(memory.state)
  }
  const memory = (id: string | null) => (id === null ? null : (memories.get(id) ?? null))
  return new Map(
    hits.flatMap(({ memory: { state } }) => {
      const neighbourhood = neighbourhoods.get(state.id)
      if (neighbourhood === undefined) return []
      const { before, after } = neededNeighbours(textOf(state), neighbourhood, said)
      return [[state.id, { before: memory(before), after: memory(after) }] as const]
    }),
  )
}
