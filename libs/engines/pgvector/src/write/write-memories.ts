import { languageOf } from '@daybook/lexical-index/lexemes'
import { contentHash } from '@daybook/memory/content'
import type { JournalEvent } from '@daybook/memory/events'
import { lexicalText } from '@daybook/memory/lexical-text'
import { embeddedTextOf, keyOf, type MemoryState } from '@daybook/memory/state'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { newestOfEach } from '@daybook/projection/apply/applied-memories'
import { sql } from 'kysely'
import { type GenerationTables, storedState, wholeState } from '../generation-tables.ts'

/** A row before the batch, with the columns that the indexes need. */
export interface OldRow {
  readonly memory_id: string
  readonly number: number
  readonly first_sequence: number
  readonly length: number
  readonly forgotten: boolean
  readonly content_hash: string
  readonly version: number
  readonly sequence: number
  readonly state: MemoryState
}

/** Reads and locks the present rows of these memories, by id. */
export async function readOldRows(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  projectId: string,
  memoryIds: readonly string[],
): Promise<Map<string, OldRow>> {
  const { rows } = await sql<OldRow>`
    select memory_id, number, first_sequence, length, forgotten, encode(content_hash, 'hex') as content_hash, version,
      sequence, ${wholeState('m')} as state
    from ${tables.memories} m
    where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])
    order by memory_id for update`.execute(trx)
  return new Map(rows.map((row) => [row.memory_id, row]))
}

/** The rows that result from the events. New memories get the project's next numbers. */
export function rowsOf(
  events: readonly JournalEvent[],
  old: ReadonlyMap<string, OldRow>,
  firstFreeNumber: number,
): { rows: MemoryRow[]; nextNumber: number } {
  const firstSequences = new Map<string, number>()
  for (const event of events)
    if (!firstSequences.has(event.memoryId)) firstSequences.set(event.memoryId, event.sequence)
  let nextNumber = firstFreeNumber
  const rows = newestOfEach(events).map((event) => {
    const before = old.get(event.memoryId)
    const firstSequence = before?.first_sequence ?? firstSequences.get(event.memoryId) ?? event.sequence
    return memoryRow(event, { number: before?.number ?? nextNumber++, firstSequence })
  })
  return { rows, nextNumber }
}

/** The columns of a new row that its state is stored without, of `given` and `lists`. */
const GIVEN = {
  memory_id: sql`given.memory_id`,
  kind: sql`given.kind`,
  agent: sql`given.agent`,
  labels: sql`lists.labels`,
  categories: sql`lists.categories`,
  importance: sql`given.importance`,
  context: sql`given.context`,
  created_at: sql`given.created_at`,
  occurred_at: sql`given.occurred_at`,
  expires_at: sql`given.expires_at`,
}

/**
 * Inserts or updates the rows. Postgres makes the lexemes: it stems words and drops stop words. Memories that are not
 * forgotten wait for their vectors from now on.
 * @param withSameText ids of those whose rows had this text before: they wait only if they do already. Default none
 * @param storedVectorsOf a model id: rows do not wait for vectors of this model that the embedding store has,
 *   because the caller inserts them next. Default null: every row waits
 */
export async function upsertMemories(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  projectId: string,
  rows: readonly MemoryRow[],
  {
    withSameText = [],
    storedVectorsOf = null,
  }: { readonly withSameText?: readonly string[]; readonly storedVectorsOf?: string | null } = {},
): Promise<void> {
  const hasVector =
    storedVectorsOf === null
      ? sql`false`
      : sql`exists (select from embeddings e where e.project_id = ${projectId} and e.model_id = ${storedVectorsOf}
          and e.content_hash = written.content_hash and e.embedded_at is not null offset 0)`
  const forgotten = rows.filter((row) => row.forgotten).map((row) => row.memory_id)
  await sql`
    with written as (
      insert into ${tables.memories} as m (project_id, memory_id, number, kind, version, sequence, first_sequence, state,
        exact_key, context, agent, labels, categories, importance, created_at, occurred_at, expires_at, forgotten,
        lexemes, length, content_hash)
      select ${projectId}, memory_id, number, kind, version, sequence, first_sequence, ${storedState(sql`state`, GIVEN)},
        exact_key, context, agent, lists.labels, lists.categories, importance, created_at, occurred_at, expires_at, forgotten, analysed.lexemes,
        (select coalesce(sum(cardinality(positions)), 0) from unnest(analysed.lexemes)),
        analysed.text_hash
      from ${relationOf(rows)}
      cross join lateral (
        select to_tsvector(${languageOf(tables, projectId)}, lexical_text) as lexemes, decode(content_hash, 'hex') as text_hash offset 0
      ) analysed cross join lateral (
        select array(select jsonb_array_elements_text(given.labels)) as labels,
          array(select jsonb_array_elements_text(given.categories)) as categories offset 0
      ) lists
      on conflict (project_id, memory_id) do update set
        kind = excluded.kind, version = excluded.version, sequence = excluded.sequence, state = excluded.state,
        exact_key = excluded.exact_key, context = excluded.context, agent = excluded.agent, labels = excluded.labels,
        categories = excluded.categories, importance = excluded.importance, created_at = excluded.created_at,
        occurred_at = excluded.occurred_at, expires_at = excluded.expires_at, forgotten = excluded.forgotten,
        lexemes = excluded.lexemes, length = excluded.length, content_hash = excluded.content_hash
      returning m.memory_id, m.content_hash, m.forgotten
    ), left_off as (
      delete from ${tables.waiting} where project_id = ${projectId} and memory_id = any(${forgotten}::uuid[])
    )
    insert into ${tables.waiting} as w (project_id, memory_id, content_hash)
    select ${projectId}, memory_id, content_hash from written
    where not forgotten and memory_id <> all(${withSameText}::uuid[]) and not ${hasVector}
    on conflict (project_id, memory_id) do update set content_hash = excluded.content_hash
    where w.content_hash <> excluded.content_hash`.execute(trx)
}

/** A row of the table `memories`, with its column names and JSON's types. The hash is hexadecimal. */
export type MemoryRow = ReturnType<typeof memoryRow>

/**
 * The row of a memory after `event`. `number` and `firstSequence` are those of the memory's first row, if it
 * has one.
 */
export function memoryRow(event: JournalEvent, place: { number: number; firstSequence: number }) {
  const { state } = event.data
  return {
    memory_id: event.memoryId,
    number: place.number,
    kind: state.kind,
    version: event.version,
    sequence: event.sequence,
    first_sequence: place.firstSequence,
    state,
    exact_key: keyOf(state),
    context: state.context,
    agent: state.agent,
    labels: state.labels,
    categories: state.categories,
    importance: state.importance,
    created_at: state.createdAt,
    occurred_at: state.occurredAt,
    expires_at: state.expiresAt,
    forgotten: state.forgottenAt !== null,
    lexical_text: lexicalText(state),
    content_hash: contentHash(embeddedTextOf(state)).toString('hex'),
  }
}

/** The rows as the relation `given`. */
export const relationOf = (rows: readonly MemoryRow[]) => sql`
  jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(memory_id uuid, number int, kind text, version int,
    sequence bigint, first_sequence bigint, state jsonb, exact_key text, context text, agent text, labels jsonb,
    categories jsonb, importance int, created_at timestamptz, occurred_at timestamptz, expires_at timestamptz,
    forgotten boolean, lexical_text text, content_hash text)`
