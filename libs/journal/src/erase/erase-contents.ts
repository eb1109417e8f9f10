import { contentHash } from '@daybook/memory/content'
import { newSalts } from '@daybook/memory/event-hash'
import {
  ERASED_EVENT,
  type EventMetadata,
  type JournalCursor,
  type LinkedEnvelope,
  SCHEMA_VERSION,
} from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import { embeddedTextOf } from '@daybook/memory/state'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type SqlBool, sql } from 'kysely'
import { lockProject } from '../append/batch-context.ts'
import { writeEvents } from '../append/commit-batch.ts'
import { chainEvents } from '../chain/check-chain.ts'
import { EVENT_COLUMNS, toRecord } from '../read/stored-event.ts'

/** Events read at a time: a few MB. */
const PAGE = 500

/**
 * Takes the content from all events of memories whose last event says that they are erased, and from what else in
 * the database quotes them. Call it under the project's lock. What was erased before stays so.
 *
 * Only the owner's function `erase_memories` can change events; it takes memories whose newest event is such a last
 * one, so that nothing is erased without a trace.
 *
 * @param sequence that of the last of those events
 * @returns how many events lost their content
 */
export async function eraseContents(
  trx: DatabaseTransaction,
  projectId: string,
  memoryIds: readonly string[],
  sequence: number,
): Promise<number> {
  if (memoryIds.length === 0) return 0
  await noteTexts(trx, projectId, memoryIds, sequence)
  const { rows } = await sql<{ contents: number }>`
    select erase_memories(${projectId}, ${memoryIds}::uuid[])::int as contents`.execute(trx)
  const contents = rows[0]?.contents ?? 0
  if (contents > 0) await eraseTitles(trx, projectId, memoryIds)
  return contents
}

/**
 * Notes which texts the embedding store may get again from a projection that has not applied the erasure yet
 * (`services/reindex/src/erased-texts.ts` removes them). A text that this version cannot read is left out: no projection of
 * this version has it.
 */
async function noteTexts(
  trx: DatabaseTransaction,
  projectId: string,
  memoryIds: readonly string[],
  sequence: number,
): Promise<void> {
  // By the key of memories: by sequence, Postgres might read the whole journal.
  for (let after: { memory_id: string; version: number } | null = null; ; ) {
    const rows = await trx
      .selectFrom('events')
      .select(EVENT_COLUMNS)
      .where('project_id', '=', projectId)
      .where(sql<SqlBool>`memory_id = any(${memoryIds}::uuid[])`)
      .where('data', 'is not', null)
      .$if(after !== null, (query) =>
        query.where(sql<SqlBool>`(memory_id, version) > (${after?.memory_id}::uuid, ${after?.version}::int)`),
      )
      .orderBy('memory_id')
      .orderBy('version')
      .limit(PAGE)
      .execute()
    const hashes = rows.map(toRecord).flatMap((record) => {
      return record.event === null
        ? []
        : [contentHash(embeddedTextOf(record.event.data.state)).toString('hex')]
    })
    await sql`
      insert into erased_texts (project_id, content_hash, sequence)
      select distinct ${projectId}::uuid, decode(hash, 'hex'), ${sequence}::bigint from unnest(${hashes}::text[]) as hash
      on conflict (project_id, content_hash) do update set sequence = excluded.sequence`.execute(trx)
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return
    after = last
  }
}

/** Takes the titles of the memories from the results of undos, which name those that they refused. */
async function eraseTitles(
  trx: DatabaseTransaction,
  projectId: string,
  memoryIds: readonly string[],
): Promise<void> {
  await sql`
    update operations set result = jsonb_set(result, '{refusals}', (
      select coalesce(jsonb_agg(case when right(one->>'memoryId', 36) = any(${memoryIds}::text[])
        then one || '{"title": null}' else one end), '[]')
      from jsonb_array_elements(result->'refusals') as one))
    where project_id = ${projectId} and type = 'undo' and exists (
      select from jsonb_array_elements(result->'refusals') as one
      where right(one->>'memoryId', 36) = any(${memoryIds}::text[]))`.execute(trx)
}

/** What an erasure did in the journal. */
export interface Erasure<Event extends JournalCursor = JournalCursor> {
  /** One event for each erased memory, in the journal's order: who erased it and when, without content. */
  readonly events: readonly Event[]
  /** How many events lost their content. */
  readonly contents: number
  /** Those that the journal does not have, or that were erased before. */
  readonly missing: readonly string[]
}

/** Most memories in one transaction, which holds the project’s lock: with ten versions each 85 ms, embedded 146. */
export const MOST_ERASED = 200

/**
 * Erases memories for good: each gets a last event without content, and all its events lose their content, their
 * salt, and the hashes of the requests that led to them, in one transaction. The hash chain stays provable, because
 * the hashes of the contents stay (`event-hash.ts`). Projections remove a memory when they apply its last event.
 *
 * @param memoryIds at most `MOST_ERASED`
 * @throws DaybookError, UnavailableError as `lockProject`
 */
export async function eraseMemories(
  { db, projectId }: ProjectScope,
  memoryIds: readonly string[],
  metadata: EventMetadata,
): Promise<Erasure<LinkedEnvelope>> {
  if (memoryIds.length > MOST_ERASED) throw new RangeError(`at most ${MOST_ERASED} memories`)
  return db.transaction().execute(async (trx) => {
    const { now, sequence, hash, epoch } = await lockProject(trx, projectId)
    const { rows } = await sql<{ memory_id: string; version: number }>`
      select newest.memory_id, newest.version from unnest(${[...new Set(memoryIds)]}::uuid[]) as given(id) cross join lateral (
        select memory_id, version, data from events
        where project_id = ${projectId} and memory_id = given.id order by version desc limit 1
      ) newest where newest.data is not null order by newest.memory_id`.execute(trx)
    const known = new Set(rows.map((row) => row.memory_id))
    const missing = memoryIds.filter((id) => !known.has(id))
    if (rows.length === 0) return { events: [], contents: 0, missing }

    const salts = newSalts(rows.length)
    const chained = chainEvents(
      hash,
      rows.map(({ memory_id, version }, index) => ({
        ...metadata,
        projectId,
        epoch,
        sequence: sequence + index + 1,
        eventId: newId(),
        memoryId: memory_id,
        version: version + 1,
        type: ERASED_EVENT,
        schemaVersion: SCHEMA_VERSION,
        recordedAt: now,
        data: null,
        // Hashed and then left out, as everywhere where content is gone.
        dataSalt: salts[index] ?? '',
      })),
    ).map((event) => ({ ...event, dataSalt: null }))
    const last = chained.at(-1)
    if (last === undefined) throw new Error('an event was not linked')
    await writeEvents(trx, projectId, chained, new Map(), {
      sequence: last.sequence,
      hash: last.hash,
      recordedAt: now,
    })
    const contents = await eraseContents(trx, projectId, [...known], last.sequence)
    const events = chained.map(({ eventId, memoryId, version, sequence: at, hash: own }, index) => ({
      ...metadata,
      projectId,
      sequence: at,
      hash: own,
      previousHash: chained[index - 1]?.hash ?? hash,
      eventId,
      memoryId,
      version,
      type: ERASED_EVENT,
      recordedAt: now,
    }))
    return { events, contents, missing }
  })
}
