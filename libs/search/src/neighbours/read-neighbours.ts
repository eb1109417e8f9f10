import { filterCondition } from '@daybook/pgvector/read/filter'
import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { findNeighbours } from '../retrievers/postgres/neighbours-retriever.ts'

/** The memories around one, by their plain ids, nearest first: at most three on each side. */
export interface Neighbours {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/**
 * The memories before and after each of these, in the same context and of the same kind: those that the ranking looks at.
 * What is forgotten or in quarantine is left out. A memory without a context has none.
 */
export async function readNeighbours(
  scope: ProjectScope,
  readModel: LiveReadModel,
  memoryIds: readonly string[],
): Promise<ReadonlyMap<string, Neighbours>> {
  const { neighbourhoods, eligible } = await findNeighbours(
    {
      scope,
      readModel,
      condition: filterCondition(readModel.tables, {}),
      includeForgotten: false,
      limit: memoryIds.length,
    },
    memoryIds,
  )
  const shown = (ids: readonly string[]) => ids.filter((id) => eligible.has(id))
  return new Map(
    [...neighbourhoods].map(([id, { before, after }]) => [
      id,
      { before: shown(before), after: shown(after) },
    ]),
  )
}
