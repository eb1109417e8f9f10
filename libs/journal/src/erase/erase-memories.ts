import { newSalts } from '@daybook/memory/event-hash'
import { ERASED_EVENT, type EventMetadata, type LinkedEnvelope, SCHEMA_VERSION } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { lockProject } from '../append/lock-project.ts'
import { writeEvents } from '../append/write-events.ts'
import { chainEvents } from '../chain/chain-events.ts'
import { eraseContents } from './erase-contents.ts'

/** What an erasure did in the journal. */
export interface Erasure {
  /** One event for each erased memory, in the journal's order: who erased it and when, without content. */
  readonly events: readonly LinkedEnvelope[]
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
): Promise<Erasure> {
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
