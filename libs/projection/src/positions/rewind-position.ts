import { forgetCheckpoints } from '@daybook/journal/read/checkpoints'
import type { JournalCursor } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import type { Projection } from '../projection.ts'

/**
 * Takes a position back to a cursor that the journal has, and deletes the parked events and checkpoints after
 * it. This is the last step of a rewind, in the transaction that has made sure that the projection holds
 * nothing later.
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
