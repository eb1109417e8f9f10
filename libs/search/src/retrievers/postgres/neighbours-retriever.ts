import { sql } from 'kysely'
import type { Neighbourhood } from '../../ranking/neighbourhood.ts'
import { timed } from '../../timed.ts'
import type { RetrieverInput } from '../retriever-input.ts'

/** The neighbours' ids, nearest first, each after a + where it may be a hit itself, else a -, with blanks between. */
type Side = string

interface SidesRow {
  readonly memory_id: string
  readonly context: string
  readonly before: Side
  readonly after: Side
}

/** The neighbourhoods of memories, and which of the neighbours satisfy the search's condition. */
export interface NeighboursFound {
  readonly neighbourhoods: ReadonlyMap<string, Neighbourhood>
  readonly eligible: ReadonlySet<string>
}

/** Neighbourhoods that are looked up while other retrievers still run. */
export interface NeighbourLookups {
  /** Begins to look up those of these memories for which that has not been begun. */
  begin(memoryIds: readonly string[]): void
  /** All that were begun. @throws what looking up one of them threw */
  all(): Promise<NeighboursFound>
}

/** Candidates are known retriever by retriever: the neighbours of the first retriever's are found while the second runs. */
export function startNeighbours(input: RetrieverInput): NeighbourLookups {
  const begun = new Set<string>()
  const lookups: Promise<NeighboursFound>[] = []
  return {
    begin(memoryIds) {
      const others = memoryIds.filter((id) => !begun.has(id))
      if (others.length === 0) return
      for (const id of others) begun.add(id)
      const lookup = findNeighbours(input, [...new Set(others)])
      // Where another retriever fails, nobody waits for this one any more, and that failure is what is told.
      lookup.catch(() => {})
      lookups.push(lookup)
    },
    async all() {
      const found = await Promise.all(lookups)
      return {
        neighbourhoods: new Map(found.flatMap(({ neighbourhoods }) => [...neighbourhoods])),
        eligible: new Set(found.flatMap(({ eligible }) => [...eligible])),
      }
    },
  }
}

/**
 * For each memory that has a context, the three remembered before it and the three after it in the same context and
 * of the same kind, in the order of their first sequences, so that a revision moves nobody. One query.
 */
export async function findNeighbours(
  input: RetrieverInput,
  memoryIds: readonly string[],
): Promise<NeighboursFound> {
  return timed(input.onRetriever, 'neighbours', () => look(input, memoryIds))
}

async function look(input: RetrieverInput, memoryIds: readonly string[]): Promise<NeighboursFound> {
  const { scope, readModel } = input
  const { memories } = readModel.tables
  if (memoryIds.length === 0) return { neighbourhoods: new Map(), eligible: new Set() }
  const { rows } = await sql<SidesRow>`
    select c.memory_id, c.context, ${side(input, 'before')} as before, ${side(input, 'after')} as after
    from ${memories} c
    where c.project_id = ${scope.projectId} and c.memory_id = any(${memoryIds}::uuid[]) and c.context is not null`.execute(
    scope.db,
  )
  const eligible = new Set<string>()
  const idsOf = (neighbours: Side) =>
    (neighbours === '' ? [] : neighbours.split(' ')).map((neighbour) => {
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

function side({ readModel, condition }: RetrieverInput, direction: 'before' | 'after') {
  const { memories } = readModel.tables
  const [comparison, order] = direction === 'before' ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`]
  // A plain array: numbering and aggregating the three rows took three times as long as finding them. And as one text: so many
  // small arrays took the driver a millisecond a search. What a session is made of is compared for two of one hash, in a way
  // that keeps the planner to the index by hash.
  return sql`array_to_string(array(
    select case when ${condition} then '+' else '-' end || m.memory_id
    from ${memories} m
    where m.session = c.session
      and (m.project_id, m.context, m.kind) is not distinct from (c.project_id, c.context, c.kind)
      and not m.forgotten and m.first_sequence ${comparison} c.first_sequence
    order by m.first_sequence ${order} limit 3
  ), ' ')`
}
