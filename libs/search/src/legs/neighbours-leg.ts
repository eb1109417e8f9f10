import { sql } from 'kysely'
import type { Neighbourhood } from '../ranking/neighbourhood.ts'
import { timed } from '../timed.ts'
import type { LegInput } from './leg-input.ts'

/** Each neighbour's id, nearest first, after a + where it may be a hit itself, else a -. */
type Side = readonly string[]

/** The neighbourhoods of memories, and which of the neighbours satisfy the search's condition. */
export interface NeighboursFound {
  readonly neighbourhoods: ReadonlyMap<string, Neighbourhood>
  readonly eligible: ReadonlySet<string>
}

/**
 * For each memory that has a context, the three remembered before it and the three after it in the same context and
 * of the same kind, in the order of their first sequences, so that a revision moves nobody. One query.
 */
export async function findNeighbours(
  input: LegInput,
  memoryIds: readonly string[],
): Promise<NeighboursFound> {
  return timed(input.onLeg, 'neighbours', () => look(input, memoryIds))
}

async function look(input: LegInput, memoryIds: readonly string[]): Promise<NeighboursFound> {
  const { scope, readModel } = input
  const { memories } = readModel.tables
  if (memoryIds.length === 0) return { neighbourhoods: new Map(), eligible: new Set() }
  const { rows } = await sql<{ memory_id: string; context: string; before: Side; after: Side }>`
    select c.memory_id, c.context, ${side(input, 'before')} as before, ${side(input, 'after')} as after
    from ${memories} c
    where c.project_id = ${scope.projectId} and c.memory_id = any(${memoryIds}::uuid[]) and c.context is not null`.execute(
    scope.db,
  )
  const eligible = new Set<string>()
  const idsOf = (neighbours: Side) =>
    neighbours.map((neighbour) => {
      const id = neighbour.slice(1)
      if (neighbour.startsWith('+')) eligible.add(id)
      return id
    })
  const neighbourhoods = rows.map(
    (row) =>
      [
        row.memory_id,
        { memoryId: row.memory_id, context: row.context, before: idsOf(row.before), after: idsOf(row.after) },
      ] as const,
  )
  return { neighbourhoods: new Map(neighbourhoods), eligible }
}

function side({ readModel, condition }: LegInput, direction: 'before' | 'after') {
  const { memories } = readModel.tables
  const [comparison, order] = direction === 'before' ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`]
  // A plain array: numbering and aggregating the three rows took three times as long as finding them.
  return sql`array(
    select case when ${condition} then '+' else '-' end || m.memory_id
    from ${memories} m
    where m.project_id = c.project_id and m.context = c.context and m.kind = c.kind and not m.forgotten
      and m.first_sequence ${comparison} c.first_sequence
    order by m.first_sequence ${order} limit 3
  )`
}
