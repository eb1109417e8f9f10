import { sql } from 'kysely'
import type { Neighbourhood } from '../ranking/neighbourhood.ts'
import { timed } from '../timed.ts'
import type { LegInput } from './leg-input.ts'

/**
 * Sequences to look through first on either side. A page of an index is read as far as it satisfies the condition: with no
 * bound half a page for each candidate, in all half of what a lookup of 170 candidates took.
 */
const NEAR = 1_000
const ON_A_SIDE = 3

type Direction = 'before' | 'after'

/** The neighbours' ids, nearest first, each after a + where it may be a hit itself, else a -, with blanks between. */
type Side = string

/** The neighbourhoods of memories, and which of the neighbours satisfy the search's condition. */
export interface NeighboursFound {
  readonly neighbourhoods: ReadonlyMap<string, Neighbourhood>
  readonly eligible: ReadonlySet<string>
}

/** Neighbourhoods that are looked up while other legs still run. */
export interface NeighbourLookups {
  /** Begins to look up those of these memories for which that has not been begun. */
  begin(memoryIds: readonly string[]): void
  /** All that were begun. @throws what looking up one of them threw */
  all(): Promise<NeighboursFound>
}

/** Candidates are known leg by leg: the neighbours of the first leg's are found while the second runs. */
export function startNeighbours(input: LegInput): NeighbourLookups {
  const begun = new Set<string>()
  const lookups: Promise<NeighboursFound>[] = []
  return {
    begin(memoryIds) {
      const others = memoryIds.filter((id) => !begun.has(id))
      if (others.length === 0) return
      for (const id of others) begun.add(id)
      const lookup = findNeighbours(input, [...new Set(others)])
      // Where another leg fails, nobody waits for this one any more, and that failure is what is told.
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
 *
 * @param near for tests
 */
export async function findNeighbours(
  input: LegInput,
  memoryIds: readonly string[],
  near = NEAR,
): Promise<NeighboursFound> {
  return timed(input.onLeg, 'neighbours', () => look(input, memoryIds, near))
}

async function look(input: LegInput, memoryIds: readonly string[], near: number): Promise<NeighboursFound> {
  const { scope, readModel } = input
  const { memories } = readModel.tables
  if (memoryIds.length === 0) return { neighbourhoods: new Map(), eligible: new Set() }
  const { rows } = await sql<{ memory_id: string; context: string; before: Side; after: Side }>`
    select c.memory_id, c.context, ${side(input, 'before', near)} as before, ${side(input, 'after', near)} as after
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

function side(input: LegInput, direction: Direction, near: number) {
  // `offset 0`, or the planner would write the lookup into both of its uses and run it twice.
  return sql`(
    select array_to_string(
      case when cardinality(near.found) = ${sql.lit(ON_A_SIDE)} then near.found else ${nearest(input, direction)} end, ' ')
    from (select ${nearest(input, direction, near)} as found offset 0) near)`
}

function nearest({ readModel, condition }: LegInput, direction: Direction, within?: number) {
  const { memories } = readModel.tables
  const [beyond, order] = direction === 'before' ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`]
  const [bounded, sign] = direction === 'before' ? [sql`>=`, sql`-`] : [sql`<=`, sql`+`]
  const bound =
    within === undefined
      ? sql``
      : sql`and m.first_sequence ${bounded} c.first_sequence ${sign} ${within}::int`
  // A plain array: numbering and aggregating the three rows took three times as long as finding them. And as one text: so many
  // small arrays took the driver a millisecond a search.
  return sql`array(
    select case when ${condition} then '+' else '-' end || m.memory_id
    from ${memories} m
    where m.project_id = c.project_id and m.context = c.context and m.kind = c.kind and not m.forgotten
      and m.first_sequence ${beyond} c.first_sequence ${bound}
    order by m.first_sequence ${order} limit ${sql.lit(ON_A_SIDE)})`
}
