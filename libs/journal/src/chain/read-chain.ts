import { CHAIN_START } from '@daybook/memory/event-hash'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import type { ChainCursor, ChainedEvent } from './check-chain.ts'

/** A journal's end as its head row has it, and its actual last event, read in one statement. */
export interface ChainEnd extends ChainCursor {
  readonly lastEvent: number
}

interface ChainEndRow {
  readonly sequence: number | null
  readonly hash: string | null
  readonly last: number | null
}

/** The end of a project's chain; for an empty or unknown project, the chain's start. */
export async function readChainEnd({ db, projectId }: ProjectScope): Promise<ChainEnd> {
  const { rows } = await sql<ChainEndRow>`
    select head.sequence, encode(head.hash, 'hex') as hash, last.sequence as last
    from (select max(sequence) as sequence from events where project_id = ${projectId}) last
    left join journal_heads head on head.project_id = ${projectId}`.execute(db)
  const { sequence, hash, last } = rows[0] ?? {}
  return { sequence: sequence ?? 0, hash: hash ?? CHAIN_START, lastEvent: last ?? 0 }
}

/**
 * Events as stored, with their hashes, after `after` and up to `upTo`, in sequence order, at most `limit`.
 */
export async function readChain(
  { db, projectId }: ProjectScope,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<ChainedEvent[]> {
  const { rows } = await sql<ChainedEvent & { readonly microseconds: number }>`
    select project_id as "projectId", sequence, event_id as "eventId", memory_id as "memoryId", version, type,
      schema_version as "schemaVersion", recorded_at as "recordedAt", actor, correlation_id as "correlationId",
      causation_id as "causationId", data, encode(data_salt, 'hex') as "dataSalt", encode(data_hash, 'hex') as "dataHash", encode(hash, 'hex') as hash, epoch,
      extract(microseconds from recorded_at)::bigint % 1000 as microseconds
    from events where project_id = ${projectId} and sequence > ${after} and sequence <= ${upTo}
    order by sequence limit ${limit}`.execute(db)
  return rows.map(({ microseconds, ...event }) => ({
    ...event,
    recordedAt: exactMoment(event.recordedAt, microseconds),
  }))
}

/**
 * Daybook writes no microseconds, and the driver drops them. Without this, nobody would notice that somebody
 * added some.
 */
const exactMoment = (moment: string, microseconds: number): string =>
  microseconds === 0 ? moment : moment.replace('Z', `${String(microseconds).padStart(3, '0')}Z`)

/** The hash of the event at a sequence; null if there is none. For sequence 0, the chain's start. */
export async function readHash({ db, projectId }: ProjectScope, sequence: number): Promise<string | null> {
  if (sequence === 0) return CHAIN_START
  const row = await db
    .selectFrom('events')
    .select('hash')
    .where('project_id', '=', projectId)
    .where('sequence', '=', sequence)
    .executeTakeFirst()
  return row?.hash.toString('hex') ?? null
}
