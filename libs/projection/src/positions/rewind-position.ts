import { forgetCheckpoints } from '@daybook/journal/read/checkpoints'
import type { JournalCursor } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import type { Projection } from '../projection.ts'

/**
 * Takes a position back to a place that the journal has, and forgets what was parked, and which places were passed, after it. The
 * last step of a rewind: part of the transaction that has found the projection to hold nothing from after it.
 */
export async function rewindPosition(
  trx: DatabaseTransaction,
  { name, generation }: Pick<Projection, 'name' | 'generation'>,
  projectId: string,
  { sequence, hash }: JournalCursor,
): Promise<void> {
  await trx
    .deleteFrom('parked_events')
    .where('projection', '=', name)
    .where('generation', '=', generation)
    .where('project_id', '=', projectId)
    .where('sequence', '>', sequence)
    .execute()
  await forgetCheckpoints(trx, { name, generation }, projectId, sequence)
  await sql`
    update positions set position = ${sequence}, hash = decode(${hash}, 'hex'), moved_at = now()
    where projection = ${name} and generation = ${generation} and project_id = ${projectId}`.execute(trx)
}
