import type { Memory } from '@daybook/memory/state'
import { wholeState } from '@daybook/pgvector/generation-tables'
import { type MemoryColumns, toMemory } from '@daybook/pgvector/read/read-memories'
import { sql } from 'kysely'
import type { RankedHit } from './ranking/rank.ts'
import type { RetrieverInput } from './retrievers/query-terms.ts'

/** What the last statement of a search read. */
export interface ReadHits {
  /** The hits that satisfy the condition now, by id. */
  readonly memories: ReadonlyMap<string, Memory>
  /**
   * Whether a hit, or a memory that contributed to one, was changed or removed after `since`. Then the scores
   * do not belong to the present content.
   */
  readonly overtaken: boolean
}

/**
 * Reads the hits and checks the condition again: the retrievers ran in separate statements, between which
 * writes go on. A row's `sequence` is that of its memory's last event, and the position moves in the
 * transaction that changes the row. So a row whose sequence is not beyond the position before the first
 * retriever was the same in every statement of the search, and nothing else has to be recorded.
 *
 * @param since the read model's position before the first retriever
 */
export async function readHits(
  { scope, readModel, condition }: Pick<RetrieverInput, 'scope' | 'readModel' | 'condition'>,
  ranked: readonly RankedHit[],
  since: number,
): Promise<ReadHits> {
  if (ranked.length === 0) return { memories: new Map(), overtaken: false }
  const { projectId, db } = scope
  const ids = ranked.map((hit) => hit.memoryId)
  const { rows } = await sql<MemoryColumns & { readonly holds: boolean; readonly others_changed: boolean }>`
    select ${wholeState('m')} as state, m.version, m.sequence, m.first_sequence, ${condition} as holds, others_changed
    from (
      select coalesce(bool_or(o.sequence > ${since}), false) as others_changed
      from ${readModel.tables.memories} o
      where o.project_id = ${projectId} and o.memory_id = any(${othersOf(ranked, ids)}::uuid[])
    ) others cross join ${readModel.tables.memories} m
    where m.project_id = ${projectId} and m.memory_id = any(${ids}::uuid[])`.execute(db)
  return {
    memories: new Map(rows.filter((row) => row.holds).map((row) => [row.state.id, toMemory(row)])),
    overtaken: rows.length < ids.length || rows.some((row) => row.others_changed || row.sequence > since),
  }
}

/** The memories on which the scores of hits rest and that are no hits themselves. */
function othersOf(ranked: readonly RankedHit[], ids: readonly string[]): string[] {
  const hits = new Set(ids)
  return [...new Set(ranked.flatMap(({ restsOn }) => restsOn))].filter((id) => !hits.has(id))
}
