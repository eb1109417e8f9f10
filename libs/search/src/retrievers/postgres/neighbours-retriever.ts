import { type RawBuilder, sql } from 'kysely'
import type { Neighbourhood } from '../../ranking/neighbours.ts'
import { timed } from '../../timed.ts'
import type { RetrieverInput } from '../query-terms.ts'

/**
 * The neighbours' ids, each with the hash of its text behind it, nearest first and separated by blanks. The prefix
 * is + if the neighbour may be a hit itself, else -.
 */
type Side = string

interface SidesRow {
  readonly memory_id: string
  readonly content_hash: string
  readonly context: string | null
  readonly before: Side
  readonly after: Side
}

/** The neighbourhoods of memories, and the neighbours that satisfy the search's condition. */
export interface NeighboursFound {
  readonly neighbourhoods: ReadonlyMap<string, Neighbourhood>
  readonly eligible: ReadonlySet<string>
  /** The hashes of the texts, by memory: of those that were asked for and of their nearest neighbours. */
  readonly contentHashes: ReadonlyMap<string, string>
}

/** Where nothing is known of any neighbour. */
export const NO_NEIGHBOURS: NeighboursFound = {
  neighbourhoods: new Map(),
  eligible: new Set(),
  contentHashes: new Map(),
}

/**
 * What several lookups found of these memories. Those that were looked up for nothing are left out: what is found must not
 * depend on what was faster.
 */
export function gatherNeighbours(
  found: readonly NeighboursFound[],
  memoryIds: readonly string[],
): NeighboursFound {
  const known = new Map(found.flatMap(({ neighbourhoods }) => [...neighbourhoods]))
  return {
    neighbourhoods: new Map(
      memoryIds.flatMap((id) => {
        const neighbourhood = known.get(id)
        return neighbourhood === undefined ? [] : [[id, neighbourhood] as const]
      }),
    ),
    eligible: new Set(found.flatMap(({ eligible }) => [...eligible])),
    contentHashes: new Map(found.flatMap(({ contentHashes }) => [...contentHashes])),
  }
}

/**
 * For each memory with a context: the three memories before it and the three after it in the same context and
 * of the same kind. They are ordered by first sequence, so a revision does not move a memory. One query. The index
 * of sessions has the hashes of the neighbours' texts, too: looking them up afterwards takes three times what it adds
 * here (docs/measurements.md#reading-token-bits).
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
  if (memoryIds.length === 0) return NO_NEIGHBOURS
  const { rows } = await sql<SidesRow>`
    select c.memory_id, c.context, ${hashOf('c')} as content_hash, ${side(input, 'before')} as before,
      ${side(input, 'after')} as after
    from ${memories} c
    where c.project_id = ${scope.projectId} and c.memory_id = any(${memoryIds}::uuid[])`.execute(scope.db)
  const eligible = new Set<string>()
  const contentHashes = new Map<string, string>()
  const idsOf = (neighbours: Side) =>
    (neighbours === '' ? [] : neighbours.split(' ')).map((neighbour, distance) => {
      const id = neighbour.slice(1, ID_END)
      if (neighbour.startsWith('+')) eligible.add(id)
      if (distance === 0) contentHashes.set(id, neighbour.slice(ID_END))
      return id
    })
  const neighbourhoods = new Map<string, Neighbourhood>()
  for (const { memory_id: memoryId, context, content_hash: hash, before, after } of rows) {
    contentHashes.set(memoryId, hash)
    if (context !== null)
      neighbourhoods.set(memoryId, { memoryId, context, before: idsOf(before), after: idsOf(after) })
  }
  return { neighbourhoods, eligible, contentHashes }
}

/** Where an id ends in a part of a `Side`, behind its sign. */
const ID_END = 1 + 36

/** The hash of a memory's text, in hexadecimal. */
const hashOf = (table: string) => sql`encode(${sql.ref(`${table}.content_hash`)}, 'hex')`

function side(input: RetrieverInput, direction: 'before' | 'after') {
  const { memories } = input.readModel.tables
  const [comparison, order] = direction === 'before' ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`]
  // A plain array, because numbering and aggregating the three rows took three times as long as finding them.
  // As one string, because many small arrays cost the driver a millisecond per search. The columns behind the
  // session's hash are compared as well, as two sessions may have one hash; the comparison is written so that
  // the planner keeps to the index on the hash.
  return sql`array_to_string(array(
    select case when ${satisfies(input)} then '+' else '-' end || m.memory_id || ${hashOf('m')}
    from ${memories} m
    where m.session = c.session
      and (m.project_id, m.context, m.kind) is not distinct from (c.project_id, c.context, c.kind)
      and not m.forgotten and m.first_sequence ${comparison} c.first_sequence
    order by m.first_sequence ${order} limit 3
  ), ' ')`
}

/**
 * Whether the neighbour satisfies the condition. One without a filter is answered by the sessions' index, unless an
 * agent is in quarantine, whose names it does not have. For any
 * other, each neighbour's row is looked up: read in the statement around it, the planner would leave the index for
 * it, and read whole sessions.
 */
function satisfies({ readModel, condition, few }: RetrieverInput): RawBuilder<unknown> {
  if (few === undefined && readModel.tables.withheld.agents.length === 0) return condition
  const { memories } = readModel.tables
  return sql`(
    select ${condition} from (
      select * from ${memories} one where one.project_id = m.project_id and one.memory_id = m.memory_id offset 0
    ) m)`
}
