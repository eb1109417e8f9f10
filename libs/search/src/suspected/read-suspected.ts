import type { MemoryFilter } from '@daybook/memory/filter'
import { isSettled, type Suspicion } from '@daybook/memory/settle'
import type { Memory } from '@daybook/memory/state'
import { vectorIndex } from '@daybook/pgvector/generation-tables'
import { filterCondition, readSupersededBy } from '@daybook/pgvector/read/filter'
import { type ListedMemory, listMemories, readMemories } from '@daybook/pgvector/read/read-memories'
import { yieldToEventLoop } from '@daybook/runtime/timers'
import { sql } from 'kysely'
import { EXACT_BELOW, indexedMemories } from '../retrievers/postgres/vector-retriever.ts'
import type { SearchParts } from '../search-parts.ts'
import { happenedAt, type Suspected, suspect } from './suspect.ts'

/** Two memories that somebody should look at. */
export interface SuspectedPair extends Suspected {
  readonly older: Memory
  readonly newer: Memory
  /** The cosine of their vectors, 0 to 1; null if one has none yet. */
  readonly similarity: number | null
  readonly place: PairPlace
}

/** A pair's place in the list: the first sequences of both, the one that was written later first. The list begins with the latest. */
export interface PairPlace {
  readonly later: number
  /** 0 stands behind all pairs of the later one. */
  readonly earlier: number
}

/** What is asked for. */
export interface SuspectedRequest {
  /** Null: all kinds. */
  readonly kind: Suspicion | null
  /** Selects the memory of a pair that was written later. */
  readonly filter: MemoryFilter
  /** The most pairs. */
  readonly first: number
  /** Null: from the beginning. */
  readonly after: PairPlace | null
}

/** A page of the list. */
export interface SuspectedPage {
  readonly pairs: readonly SuspectedPair[]
  /** Where the next page begins; null at the end. It may have come without any pair. */
  readonly next: PairPlace | null
}

/**
 * Memories whose neighbours one statement reads. In a project of 5,000 memories it compares 125,000 vectors, at 5 ms for 5,000 (see
 * `EXACT_BELOW`); the embedded database does nothing else meanwhile.
 */
const BATCH = 25

/** The most memories that one page looks at, so that a request ends even where nothing is suspected. */
const MOST = 200

/** How many of the nearest, and how many of the same key, each memory is compared with. */
const NEIGHBOURS = 6

/** Texts that are less alike are about other things. */
const LEAST_COSINE = 0.5

/**
 * Pairs that seem to say the same, or to contradict each other, the latest written first. Each of the newest memories is compared
 * with those written before it in its context: the nearest in meaning, and those of its key. Forgotten ones and what is in
 * quarantine are left out, and so is what somebody has settled: what is superseded, and pairs that were decided to both stay.
 * The list is not kept anywhere, so it is never out of date.
 * @param exactBelow for tests
 */
export async function readSuspected(
  { scope, readModel }: Pick<SearchParts, 'scope' | 'readModel'>,
  { kind, filter, first, after }: SuspectedRequest,
  exactBelow = EXACT_BELOW,
): Promise<SuspectedPage> {
  const { includeForgotten: _, ...live } = filter
  const pairs: SuspectedPair[] = []
  // Pairs of the last page's last memory may be left.
  let before = after === null ? null : after.earlier === 0 ? after.later : after.later + 1
  for (let looked = 0; looked < MOST; looked += BATCH) {
    const memories = await listMemories(scope, readModel.tables, { filter: live, before, limit: BATCH })
    for (const pair of await pairsOf({ scope, readModel, exactBelow }, memories)) {
      const { later, earlier } = pair.place
      if (after !== null && later === after.later && earlier >= after.earlier) continue
      if (kind !== null && pair.kind !== kind) continue
      pairs.push(pair)
      if (pairs.length === first) return { pairs, next: pair.place }
    }
    before = memories.at(-1)?.firstSequence ?? null
    if (memories.length < BATCH || before === null) return { pairs, next: null }
  }
  return { pairs, next: before === null ? null : { later: before, earlier: 0 } }
}

type Parts = Pick<SearchParts, 'scope' | 'readModel'> & { readonly exactBelow: number }

/** The suspected pairs of some memories with earlier ones, in the order of the list. */
async function pairsOf(parts: Parts, memories: readonly ListedMemory[]): Promise<SuspectedPair[]> {
  const { scope, readModel } = parts
  const found = await readNeighbours(parts, memories)
  const ids = [...new Set(found.flatMap(({ later, earlier }) => [later, earlier]))]
  const [earlier, superseded] = [
    await readMemories(scope, readModel.tables, ids),
    await readSupersededBy(scope, readModel.tables, ids),
  ]
  const byId = new Map(memories.map((memory) => [memory.state.id, memory]))
  const pairs: SuspectedPair[] = []
  const turns = yieldToEventLoop()
  for (const row of found) {
    await turns()
    const [one, other] = [byId.get(row.later), earlier.get(row.earlier)]
    if (one === undefined || other === undefined || isSettled(one.state, other.state)) continue
    // What is true now is another memory, with which each of them is compared.
    if (superseded.has(row.later) || superseded.has(row.earlier)) continue
    const [older, newer] = happenedAt(other.state) > happenedAt(one.state) ? [one, other] : [other, one]
    const suspected = suspect(older.state, newer.state, row.cosine)
    if (suspected === null) continue
    const similarity = row.cosine === null ? null : Math.min(1, Math.max(0, row.cosine))
    const place = { later: one.firstSequence, earlier: row.first_sequence }
    pairs.push({ ...suspected, older, newer, similarity, place })
  }
  return pairs.toSorted((a, b) => b.place.later - a.place.later || b.place.earlier - a.place.earlier)
}

interface Row {
  readonly later: string
  readonly earlier: string
  readonly first_sequence: number
  /** Null where one has no vector. */
  readonly cosine: number | null
}

/**
 * The memories with which each is compared. Of a long text, its beginning is: texts that begin alike are looked at whole.
 *
 * An index of vectors that all projects share ends its scan after 20,000 of any project. So a small project's vectors are all
 * compared, and those of a large one too if the index gave less than one a memory.
 */
async function readNeighbours(parts: Parts, memories: readonly ListedMemory[]): Promise<Row[]> {
  if (memories.length === 0) return []
  const input = { ...parts, condition: sql<boolean>`true`, includeForgotten: false, limit: NEIGHBOURS }
  if ((await indexedMemories(input)) < parts.exactBelow) return neighbours(parts, memories, true)
  const found = await neighbours(parts, memories, false)
  return found.length < memories.length ? neighbours(parts, memories, true) : found
}

async function neighbours(
  { scope: { db, projectId }, readModel }: Parts,
  memories: readonly ListedMemory[],
  compareAll: boolean,
): Promise<Row[]> {
  const { vectors, memories: table } = readModel.tables
  const { distance, taken } = vectorIndex(readModel.generation)
  const ids = memories.map(({ state }) => state.id)
  const live = filterCondition(readModel.tables, {})
  const earlier = sql`m.project_id = ${projectId} and ${live} and m.first_sequence < given.first_sequence
    and m.context is not distinct from given.context`
  // `offset 0` keeps the planner from using an index there.
  const nearest = compareAll
    ? sql`select * from (
        select w.memory_id, m.first_sequence, w.embedding <=> v.embedding as distance
        from ${vectors} w join ${table} m on m.project_id = w.project_id and m.memory_id = w.memory_id
        where w.project_id = ${projectId} and ${earlier} offset 0) compared`
    : sql`
        select w.memory_id, m.first_sequence, w.embedding <=> v.embedding as distance
        from ${vectors} w cross join lateral (
          select * from ${table} where project_id = w.project_id and memory_id = w.memory_id offset 0
        ) m
        where w.project_id = ${projectId} and ${earlier}
        order by ${distance(sql`w.embedding`, sql`v.embedding`)} limit ${taken(NEIGHBOURS)}`
  const { rows } = await sql<Row>`
    with given as materialized (
      select m.memory_id, m.first_sequence, m.context, m.kind, m.exact_key from ${table} m
      where m.project_id = ${projectId} and m.memory_id = any(${ids}::uuid[])
    ), alike as (
      select given.memory_id as later, n.memory_id as earlier, n.first_sequence, 1 - n.distance as cosine
      from given cross join lateral (
        select embedding from ${vectors} where project_id = ${projectId} and memory_id = given.memory_id
        order by span_start limit 1
      ) v cross join lateral (
        select * from (${nearest}) best where distance <= ${1 - LEAST_COSINE} order by distance, first_sequence desc limit ${NEIGHBOURS}
      ) n
    ), of_key as (
      select given.memory_id as later, k.memory_id as earlier, k.first_sequence, (
        select 1 - (w.embedding <=> v.embedding) from ${vectors} v join ${vectors} w on w.project_id = v.project_id
        where v.project_id = ${projectId} and v.memory_id = given.memory_id and w.memory_id = k.memory_id
        order by v.span_start, w.span_start limit 1) as cosine
      from given cross join lateral (
        select m.memory_id, m.first_sequence from ${table} m
        where m.kind = given.kind and m.exact_key = given.exact_key and ${earlier}
        order by m.first_sequence desc limit ${NEIGHBOURS}
      ) k
    )
    select later, earlier, first_sequence, max(cosine)::float8 as cosine
    from (select * from alike union all select * from of_key) every_one
    group by later, earlier, first_sequence`.execute(db)
  return rows
}
