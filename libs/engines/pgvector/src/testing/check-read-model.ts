import { isDeepStrictEqual } from 'node:util'
import { readJournal } from '@daybook/journal/read/read'
import { LENGTH_MAX, SEGMENT_SIZE } from '@daybook/lexical-index/postings'
import type { JournalEvent } from '@daybook/memory/events'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { readPosition } from '@daybook/projection/positions/positions'
import { type RawBuilder, sql } from 'kysely'
import { PGVECTOR, wholeState } from '../generation-tables.ts'
import type { LiveReadModel } from '../read/live-read-model.ts'
import { type MemoryRow, memoryRow } from '../write/write-memories.ts'

/** The most differences reported, as a broken table would report every row. */
const NAMED = 50

/**
 * Compares a project's rows in a generation with the journal's events up to the position, without parked
 * ones. Everything is read in one snapshot, so it may run beside writers and projectors.
 *
 * - `memories` must be the fold of the events, with the lexemes of each memory's text
 * - `memory_versions` must hold the events that another one of their memory follows, and the lexemes of texts that a
 *   later event changed
 * - `former_postings` must hold the words that memories said once
 * - `postings` must hold the lexemes of the live memories, `lexical_stats` their number and total length
 * - `vectors` must hold, for live memories only, what the embedding store has for their text, unless they
 *   still wait for it; a text that is waited for must be in the store's queue
 *
 * It does not check how far the position is behind the journal.
 *
 * @returns every difference in words; empty if there is none
 */
export async function checkReadModel(scope: ProjectScope, readModel: LiveReadModel): Promise<string[]> {
  return scope.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const snapshot = projectScope(trx, scope.projectId)
      const events = await appliedEvents(snapshot, readModel)
      const differences = [
        ...(await checkMemories(snapshot, readModel, events)),
        ...(await checkVersions(snapshot, readModel, events)),
        ...(await checkPostings(snapshot, readModel)),
        ...(await checkFormerPostings(snapshot, readModel)),
        ...(await checkStats(snapshot, readModel)),
        ...(await checkVectors(snapshot, readModel)),
      ]
      const more = differences.length - NAMED
      return more > 0 ? [...differences.slice(0, NAMED), `and ${more} more differences`] : differences
    })
}

/**
 * The events that the generation must hold: up to its position, without parked events and those before an
 * erasure.
 */
async function appliedEvents(scope: ProjectScope, { generation }: LiveReadModel): Promise<JournalEvent[]> {
  const ref = { name: PGVECTOR, generation: generation.generation }
  const position = await readPosition(scope.db, ref, scope.projectId)
  const parkedRows = await scope.db
    .selectFrom('parked_events')
    .select('sequence')
    .where('projection', '=', ref.name)
    .where('generation', '=', ref.generation)
    .where('project_id', '=', scope.projectId)
    .execute()
  const parked = new Set(parkedRows.map((row) => row.sequence))
  let events: JournalEvent[] = []
  for (let after = 0; after < position; ) {
    const records = await readJournal(scope, { after, limit: Math.min(500, position - after) })
    if (records.length === 0) throw new Error(`the journal ends at ${after}, before the position ${position}`)
    for (const record of records) {
      const { sequence, memoryId } = record
      if (sequence !== after + 1) throw new Error(`the journal has a hole after ${after}`)
      after = sequence
      if (parked.has(sequence)) continue
      if (record.status === 'opaque')
        throw new Error(`the event ${sequence} cannot be read and is not parked`)
      if (record.status === 'readable') events.push(record.event)
      else events = events.filter((event) => event.memoryId !== memoryId)
    }
  }
  return events
}

/** A row by column. Moments are in milliseconds since 1970. */
type StoredRow = Readonly<Record<string, unknown>> & { readonly memory_id: string }

const MOMENTS = ['created_at', 'occurred_at', 'expires_at'] as const
const milliseconds = (column: string) =>
  sql`(extract(epoch from ${sql.id(column)}) * 1000)::float8 as ${sql.id(column)}`

async function checkMemories(
  { db, projectId }: ProjectScope,
  { tables }: LiveReadModel,
  events: readonly JournalEvent[],
): Promise<string[]> {
  const { rows } = await sql<StoredRow>`
    select memory_id, number, kind, version, sequence, first_sequence, ${wholeState('m')} as state, exact_key, context, agent, labels, categories,
      importance, ${sql.join(MOMENTS.map(milliseconds))}, forgotten, encode(content_hash, 'hex') as content_hash,
      lexemes::text as lexemes, length
    from ${tables.memories} m where project_id = ${projectId}`.execute(db)
  const stored = new Map(rows.map((row) => [row.memory_id, row]))
  const expected = expectedRows(events)
  const texts = new Map([...expected].map(([id, { lexical_text }]) => [id, lexical_text]))
  const analysed = await analyse({ db, projectId }, texts)

  const differences: string[] = []
  for (const [id, row] of expected) {
    const found = stored.get(id)
    if (found === undefined) {
      differences.push(`memory ${id} is missing from memories`)
      continue
    }
    const { number: _, lexical_text: __, ...columns } = row
    const moments = MOMENTS.map((name) => [name, row[name] === null ? null : Date.parse(row[name])])
    const wanted = { ...columns, ...analysed.get(id), ...Object.fromEntries(moments) }
    for (const [column, value] of Object.entries(wanted)) {
      const is = found[column]
      if (!isDeepStrictEqual(normal(is), normal(value)))
        differences.push(`memory ${id} has ${column} ${show(is)}, the journal says ${show(value)}`)
    }
  }
  for (const id of stored.keys())
    if (!expected.has(id)) differences.push(`memory ${id} is in memories, but not in the journal`)
  return differences
}

/** Does not use `rowsOf`, which is being tested. */
function expectedRows(events: readonly JournalEvent[]): Map<string, MemoryRow> {
  const newest = new Map<string, JournalEvent>()
  const firstSequences = new Map<string, number>()
  for (const event of events) {
    newest.set(event.memoryId, event)
    firstSequences.set(event.memoryId, firstSequences.get(event.memoryId) ?? event.sequence)
  }
  return new Map(
    [...newest].map(([id, event]) => [
      id,
      memoryRow(event, { number: 0, firstSequence: firstSequences.get(id) ?? 0 }),
    ]),
  )
}

/**
 * The lexemes and lengths that Postgres makes of the texts.
 * @param texts by what the result is asked for, such as the memory's id
 */
async function analyse<Key extends string | number>(
  { db }: ProjectScope,
  texts: ReadonlyMap<Key, string>,
): Promise<Map<Key, { lexemes: string; length: number }>> {
  const entries = [...texts]
  const analysed = new Map<Key, { lexemes: string; length: number }>()
  for (let from = 0; from < entries.length; from += 500) {
    const given = entries.slice(from, from + 500).map(([, text], at) => ({ at: from + at, text }))
    const result = await sql<{ at: number; lexemes: string; length: number }>`
      select at, lexemes::text as lexemes,
        (select coalesce(sum(cardinality(positions)), 0) from unnest(lexemes)) as length
      from (
        select at, to_tsvector('english', text) as lexemes
        from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(at int, text text) offset 0
      ) analysed`.execute(db)
    for (const { at, lexemes, length } of result.rows) analysed.set(entries[at]![0], { lexemes, length })
  }
  return analysed
}

async function checkVersions(
  { db, projectId }: ProjectScope,
  { tables }: LiveReadModel,
  events: readonly JournalEvent[],
): Promise<string[]> {
  interface Version {
    readonly memory_id: string
    readonly version: number
    readonly sequence: number
    readonly content_hash: string
    readonly lexemes: string | null
  }
  const { rows } = await sql<Version>`
    select memory_id, version, sequence, encode(content_hash, 'hex') as content_hash, lexemes::text as lexemes
    from ${tables.versions} where project_id = ${projectId}`.execute(db)
  const stored = new Map(rows.map((row) => [row.sequence, row]))
  const superseded = await supersededLexemes({ db, projectId }, events)
  const differences: string[] = []
  const newest = new Map(events.map((event) => [event.memoryId, event]))
  const past = events.filter((event) => newest.get(event.memoryId) !== event)
  for (const event of past) {
    const wanted: Version = {
      memory_id: event.memoryId,
      version: event.version,
      sequence: event.sequence,
      content_hash: memoryRow(event, { number: 0, firstSequence: 0 }).content_hash,
      lexemes: superseded.get(event.sequence) ?? null,
    }
    const is = stored.get(event.sequence)
    if (is === undefined) differences.push(`event ${event.sequence} is missing from memory_versions`)
    else if (!isDeepStrictEqual(normal(is), normal(wanted)))
      differences.push(`event ${event.sequence} is ${show(is)} in memory_versions, not ${show(wanted)}`)
  }
  const wantedSequences = new Set(past.map((event) => event.sequence))
  for (const sequence of stored.keys())
    if (!wantedSequences.has(sequence))
      differences.push(`event ${sequence} is in memory_versions, but is not one of the past`)
  return differences
}

/**
 * The lexemes of each text that the next event of its memory changed, by the sequence of the last event with
 * that text. Does not use `supersededTexts`, which is being tested.
 */
async function supersededLexemes(
  scope: ProjectScope,
  events: readonly JournalEvent[],
): Promise<Map<number, string>> {
  const later = new Map<string, MemoryRow>()
  const ended = new Map<number, string>()
  for (const event of events.toReversed()) {
    const row = memoryRow(event, { number: 0, firstSequence: 0 })
    const next = later.get(event.memoryId)
    if (
      next !== undefined &&
      (row.lexical_text !== next.lexical_text || row.content_hash !== next.content_hash)
    )
      ended.set(event.sequence, row.lexical_text)
    later.set(event.memoryId, row)
  }
  const analysed = await analyse(scope, ended)
  return new Map([...analysed].map(([sequence, { lexemes }]) => [sequence, lexemes]))
}

/** `former_postings` must hold every word of a memory's earlier texts that `postings` does not find it by. */
async function checkFormerPostings(
  { db, projectId }: ProjectScope,
  { tables }: LiveReadModel,
): Promise<string[]> {
  const { rows } = await sql<{ problem: string; lexeme: string; number: number }>`
    with said as (
      select m.number, unnest(tsvector_to_array(v.lexemes)) as lexeme from ${tables.versions} v
      join ${tables.memories} m on m.project_id = v.project_id and m.memory_id = v.memory_id
      where v.project_id = ${projectId} and v.lexemes is not null
      union
      select m.number, unnest(tsvector_to_array(m.lexemes)) from ${tables.memories} m
      where m.project_id = ${projectId} and m.forgotten
    ), wanted as materialized (
      select lexeme, number from said
      except select unnest(tsvector_to_array(m.lexemes)), m.number from ${tables.memories} m
      where m.project_id = ${projectId} and not m.forgotten
    ), packed as materialized (
      select lexeme, segment, octet_length(entries) as sealed, entries || recent as postings, removed
      from ${tables.formerPostings} where project_id = ${projectId}
    ), written as materialized (
      select lexeme, segment * ${SEGMENT_SIZE}::int + (posting >> 20) + 1 as number
      from packed cross join lateral (${bitsIn(sql`postings`)}) each
      where at >= sealed or posting >> 20 <> all(array(select posting >> 20 from (${bitsIn(sql`removed`)}) gone))
    )
    select 'is missing' as problem, lexeme, number from (select * from wanted except all select * from written) missing
    union all
    select 'should not be there', lexeme, number from (select * from written except all select * from wanted) surplus`.execute(
    db,
  )
  return rows.map(
    ({ problem, lexeme, number }) =>
      `the posting of the former word "${lexeme}" for memory number ${number} ${problem}`,
  )
}

/** `memories` has been compared with the journal, so the indexes can be compared with `memories`. */
async function checkPostings({ db, projectId }: ProjectScope, { tables }: LiveReadModel): Promise<string[]> {
  const { rows } = await sql<{ problem: string; lexeme: string; number: number; posting: string }>`
    with wanted as materialized (
      select u.lexeme, m.number, cardinality(u.positions) as frequency, least(m.length, ${LENGTH_MAX}::int) as length
      from ${tables.memories} m, unnest(m.lexemes) u
      where m.project_id = ${projectId} and not m.forgotten
    ), packed as materialized (
      select lexeme, segment, octet_length(entries) as sealed, entries || recent as postings, removed
      from ${tables.postings} where project_id = ${projectId}
    ), written as materialized (
      select lexeme, segment * ${SEGMENT_SIZE}::int + (posting >> 20) + 1 as number, posting >> 12 & 255 as frequency,
        posting & 4095 as length
      from packed cross join lateral (${bitsIn(sql`postings`)}) each
      where at >= sealed or posting >> 20 <> all(array(select posting >> 20 from (${bitsIn(sql`removed`)}) gone))
    )
    select 'is missing' as problem, lexeme, number, frequency || '/' || length as posting
    from (select * from wanted except all select * from written) missing
    union all
    select 'should not be there', lexeme, number, frequency || '/' || length
    from (select * from written except all select * from wanted) surplus
    union all
    select 'should not be there', lexeme, null, 'a row without postings' from packed where postings = ''
    union all
    select 'should not be there', lexeme, null, 'a removed posting that never was' from packed
    where exists (select posting >> 20 from (${bitsIn(sql`removed`)}) gone
      except all select posting >> 20 from (${bitsIn(sql`postings`)}) each where at < sealed)`.execute(db)
  return rows.map(
    ({ problem, lexeme, number, posting }) =>
      `the posting of "${lexeme}" for memory number ${number} (${posting}) ${problem}`,
  )
}

/** Splits bytes into 32-bit numbers, each with its byte offset. */
const bitsIn = (bytes: RawBuilder<unknown>) => sql`
  select at, ('x' || encode(substr(${bytes}, at + 1, 4), 'hex'))::bit(32)::bigint as posting
  from generate_series(0, octet_length(${bytes}) - 1, 4) at`

async function checkStats({ db, projectId }: ProjectScope, { tables }: LiveReadModel): Promise<string[]> {
  interface Stats {
    readonly memories: number
    readonly total_length: number
    next_number: number
  }
  const { rows } = await sql<Stats & { readonly stored: Stats | null }>`
    select count(*) filter (where not m.forgotten) as memories,
      coalesce(sum(m.length) filter (where not m.forgotten), 0)::bigint as total_length,
      coalesce(max(m.number), 0) + 1 as next_number,
      (select jsonb_build_object('memories', memories, 'total_length', total_length, 'next_number', next_number)
        from ${tables.lexicalStats} where project_id = ${projectId}) as stored
    from ${tables.memories} m where m.project_id = ${projectId}`.execute(db)
  const { stored = null, ...wanted } = rows[0] ?? { memories: 0, total_length: 0, next_number: 1 }
  const is = stored ?? { memories: 0, total_length: 0, next_number: 1 }
  // Numbers of erased memories are not reused.
  if (wanted.next_number < is.next_number) wanted.next_number = is.next_number
  return isDeepStrictEqual(normal(is), normal(wanted))
    ? []
    : [`lexical_stats are ${show(is)}, the memories come to ${show(wanted)}`]
}

async function checkVectors(
  { db, projectId }: ProjectScope,
  { generation, tables }: LiveReadModel,
): Promise<string[]> {
  const chunk = sql`chunk, span_start, span_end, embedding::halfvec::text as embedding`
  const { rows } = await sql<{ problem: string }>`
    with live as materialized (
      select memory_id, content_hash, exists (
        select from ${tables.waiting} w where w.project_id = m.project_id and w.memory_id = m.memory_id) as is_waiting
      from ${tables.memories} m
      where project_id = ${projectId} and not forgotten
    ), wanted as materialized (
      select live.memory_id, c.* from live cross join lateral (
        select ${chunk} from embedding_chunks
        where project_id = ${projectId} and model_id = ${generation.modelId} and content_hash = live.content_hash
        offset 0) c
      where not live.is_waiting
    ), stored as materialized (
      select memory_id, ${chunk} from ${tables.vectors} where project_id = ${projectId}
    )
    select 'chunk ' || chunk || ' of memory ' || memory_id || ' is missing from vectors' as problem
    from (select * from wanted except all select * from stored) missing
    union all
    select 'chunk ' || chunk || ' of memory ' || memory_id || ' should not be in vectors'
    from (select * from stored except all select * from wanted) surplus
    union all
    select 'memory ' || memory_id || ' does not wait for a vector and has none' from live
    where not is_waiting and not exists (select from wanted where wanted.memory_id = live.memory_id)
    union all
    select 'memory ' || memory_id || ' waits for a vector of a text that is not in the embedding store' from live
    where is_waiting and not exists (
      select from embeddings
      where project_id = ${projectId} and model_id = ${generation.modelId} and content_hash = live.content_hash)
    union all
    select 'memory ' || memory_id || ' waits for a vector, but is no memory of this text' from ${tables.waiting} w
    where project_id = ${projectId} and not exists (
      select from live where live.memory_id = w.memory_id and live.content_hash = w.content_hash)`.execute(db)
  return rows.map((row) => row.problem)
}

/** The value as JSON, in which absent and undefined are the same and a driver's own classes are gone. */
const normal = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
