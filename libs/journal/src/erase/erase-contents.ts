import { contentHash } from '@daybook/memory/content-hash'
import { embeddedTextOf } from '@daybook/memory/state'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { type SqlBool, sql } from 'kysely'
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
