import type { JournalEvent } from '@daybook/memory/events'
import {
  ensurePosition,
  holdPosition,
  lockPosition,
  readPlace,
  savePosition,
} from '../positions/positions.ts'
import { rewindPosition } from '../positions/rewind-position.ts'
import { type ParkedEvent, PositionMoved, type Projection, type ProjectionBatch } from '../projection.ts'

/** A projection that keeps what was applied in memory, and its position and parked events in the database as all do. */
export interface RecordingProjection extends Projection {
  /** In the order in which they were committed. */
  readonly applied: JournalEvent[]
  /** Every `apply` that was tried, with how it ended. */
  readonly batches: { readonly from: number; readonly to: number; readonly ok: boolean }[]
  readonly parked: ParkedEvent[]
  readonly erased: string[]
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
  const erased: string[] = []
  return {
    ...place,
    applied,
    batches,
    parked,
    erased,
    position: ({ db, projectId }) => readPlace(db, place, projectId),
    async apply({ db, projectId }, batch) {
      let ok = false
      try {
        if (batch.from.sequence === 0) await ensurePosition(db, place, projectId)
        await db.transaction().execute(async (trx) => {
          await lockPosition(trx, place, projectId, batch)
          await beforeCommit(batch)
          await savePosition(trx, place, projectId, batch)
        })
        ok = true
        applied.push(...batch.events)
        parked.push(...batch.parked)
        erased.push(...batch.erased)
      } finally {
        batches.push({ from: batch.from.sequence, to: batch.to.sequence, ok })
      }
    },
    async rewind({ db, projectId }, { from, to }) {
      await db.transaction().execute(async (trx) => {
        const held = await holdPosition(trx, place, projectId)
        if (held.sequence !== from.sequence || held.hash !== from.hash)
          throw new PositionMoved(name, from.sequence)
        await rewindPosition(trx, place, projectId, to)
      })
      const kept = applied.filter((event) => event.projectId !== projectId || event.sequence <= to.sequence)
      applied.splice(0, applied.length, ...kept)
    },
  }
}
