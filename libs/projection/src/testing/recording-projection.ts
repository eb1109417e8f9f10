import type { JournalEvent } from '@daybook/memory/events'
import { rewindPosition } from '../positions/divergence.ts'
import {
  ensurePosition,
  holdPosition,
  lockPosition,
  readPlace,
  savePosition,
} from '../positions/positions.ts'
import { type ParkedEvent, PositionMoved, type Projection, type ProjectionBatch } from '../projection.ts'

/** A projection that keeps applied events in memory, and its position and parked events in the database. */
export interface RecordingProjection extends Projection {
  /** In the order in which they were committed. */
  readonly applied: JournalEvent[]
  /** Every attempted `apply`, with its outcome. */
  readonly batches: { readonly from: number; readonly to: number; readonly ok: boolean }[]
  readonly parked: ParkedEvent[]
  readonly erased: string[]
}

/**
 * Creates a recording projection.
 * @param beforeCommit runs inside the transaction; if it throws, the batch is rolled back
 */
export function recordingProjection(
  name: string,
  beforeCommit: (batch: ProjectionBatch) => void | Promise<void> = () => {},
): RecordingProjection {
  const ref = { name, generation: 1 }
  const applied: JournalEvent[] = []
  const batches: RecordingProjection['batches'] = []
  const parked: ParkedEvent[] = []
  const erased: string[] = []
  return {
    ...ref,
    applied,
    batches,
    parked,
    erased,
    position: ({ db, projectId }) => readPlace(db, ref, projectId),
    async apply({ db, projectId }, batch) {
      let ok = false
      try {
        if (batch.from.sequence === 0) await ensurePosition(db, ref, projectId)
        await db.transaction().execute(async (trx) => {
          await lockPosition(trx, ref, projectId, batch)
          await beforeCommit(batch)
          await savePosition(trx, ref, projectId, batch)
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
        const held = await holdPosition(trx, ref, projectId)
        if (held.sequence !== from.sequence || held.hash !== from.hash)
          throw new PositionMoved(name, from.sequence)
        await rewindPosition(trx, ref, projectId, to)
      })
      const kept = applied.filter((event) => event.projectId !== projectId || event.sequence <= to.sequence)
      applied.splice(0, applied.length, ...kept)
    },
  }
}
