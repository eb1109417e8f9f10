import type { JournalEvent } from '@daybook/memory/events'
import { ensurePosition, lockPosition, readPosition, savePosition } from '../positions.ts'
import type { ParkedEvent, Projection, ProjectionBatch } from '../projection.ts'

/** A projection that keeps what was applied in memory, and its position and parked events in the database as all do. */
export interface RecordingProjection extends Projection {
  /** In the order in which they were committed. */
  readonly applied: JournalEvent[]
  /** Every `apply` that was tried, with how it ended. */
  readonly batches: (Pick<ProjectionBatch, 'from' | 'to'> & { readonly ok: boolean })[]
  readonly parked: ParkedEvent[]
}

/** @param beforeCommit runs inside the transaction; what it throws rolls the batch back. */
export function recordingProjection(
  name: string,
  beforeCommit: (batch: ProjectionBatch) => void | Promise<void> = () => {},
): RecordingProjection {
  const place = { name, generation: 1 }
  const applied: JournalEvent[] = []
  const batches: RecordingProjection['batches'] = []
  const parked: ParkedEvent[] = []
  return {
    ...place,
    applied,
    batches,
    parked,
    position: ({ db, projectId }) => readPosition(db, place, projectId),
    async apply({ db, projectId }, batch) {
      let ok = false
      try {
        if (batch.from === 0) await ensurePosition(db, place, projectId)
        await db.transaction().execute(async (trx) => {
          await lockPosition(trx, place, projectId, batch)
          await beforeCommit(batch)
          await savePosition(trx, place, projectId, batch)
        })
        ok = true
        applied.push(...batch.events)
        parked.push(...batch.parked)
      } finally {
        batches.push({ from: batch.from, to: batch.to, ok })
      }
    },
  }
}
