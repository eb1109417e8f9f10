import { CHAIN_START } from '@daybook/memory/event-hash'
import type { JournalCursor } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, sql } from 'kysely'

/*
 * Places that a reader of a project's journal passed. They serve to find the last place that the reader and
 * the journal have in common, after the journal lost its end. Checkpoint n goes to the slot of n's lowest set
 * bit and replaces the one there. So recent ones are dense, and older ones are every second, fourth, eighth,
 * …. A year of writing takes some 22 rows.
 */

/** A reader of the journal: a generation of a projection, or the relay. */
export interface Reader {
  readonly name: string
  readonly generation: number
}

/**
 * Shortest time between checkpoints, in milliseconds. Besides the lost events, about that much is applied
 * again. In a project that follows a home every batch is noted: its readers go back each time that the home's events take a
 * branch's place.
 */
const CHECKPOINT_MS = 5_000

const ofReader = ({ name, generation }: Reader, projectId: string) =>
  sql`reader = ${name} and generation = ${generation} and project_id = ${projectId}`

/**
 * Notes that the reader has reached the place, if the last checkpoint is old enough. It is part of the
 * statement that moves the reader, whose CTE must be named `moved`. If that changed no row, nothing is noted.
 * It needs no extra round trip.
 */
export function noteCheckpoint(
  reader: Reader,
  projectId: string,
  { sequence, hash }: JournalCursor,
): RawBuilder<unknown> {
  return sql`
    insert into checkpoints (reader, generation, project_id, slot, number, sequence, hash)
    select ${reader.name}, ${reader.generation}::int, ${projectId}::uuid, next.number & -next.number, next.number,
      ${sequence}::bigint, decode(${hash}, 'hex')
    from (
      select coalesce(max(number), 0) + 1 as number, max(noted_at) as noted_at from checkpoints
      where ${ofReader(reader, projectId)}
    ) next
    where exists (select from moved)
      and (noted_at is null or noted_at < clock_timestamp() - make_interval(secs => ${CHECKPOINT_MS / 1_000}::float8)
        or exists (select from journal_heads h where h.project_id = ${projectId} and h.followed))
    on conflict (reader, generation, project_id, slot) do update set
      number = excluded.number, sequence = excluded.sequence, hash = excluded.hash, noted_at = excluded.noted_at`
}

/**
 * The last place up to `sequence` that the reader passed and the journal still has; the beginning if none is
 * known.
 */
export async function lastCommon(
  { db, projectId }: ProjectScope,
  reader: Reader,
  sequence: number,
): Promise<JournalCursor> {
  const { rows } = await sql<JournalCursor>`
    select c.sequence, encode(c.hash, 'hex') as hash from (
      select project_id, sequence, hash from checkpoints where ${ofReader(reader, projectId)}
    ) c
    join events e on e.project_id = c.project_id and e.sequence = c.sequence and e.hash = c.hash
    where c.sequence <= ${sequence} order by c.sequence desc limit 1`.execute(db)
  return rows[0] ?? { sequence: 0, hash: CHAIN_START }
}

/** Deletes the checkpoints after `sequence`, by default all: the reader has gone back. */
export async function forgetCheckpoints(
  trx: DatabaseTransaction,
  reader: Reader,
  projectId: string,
  sequence = 0,
): Promise<void> {
  await sql`delete from checkpoints where ${ofReader(reader, projectId)} and sequence > ${sequence}`.execute(
    trx,
  )
}
