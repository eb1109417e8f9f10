import type { JournalEvent } from '@daybook/memory/events'
import type { Memory } from '@daybook/memory/state'
import type { Database } from '@daybook/postgres/connect'
import { readPlace, savePosition } from '@daybook/projection/positions/positions'
import { PositionMoved, type Projection } from '@daybook/projection/projection'
import { rewindPosition } from '@daybook/projection/positions/rewind-position'
import { isMissing } from '../client/errors.ts'
import { keepCollection } from './keep-collection.ts'
import { postMemories, recordPosted } from './write-memories.ts'
import type { Posting } from './writer.ts'
import { listUnsettled, noteSettled, settle } from './settle.ts'
import { takeBack } from './take-back.ts'
import { underClaim } from './with-project-lease.ts'

/**
 * The Typesense read model. Documents are written first, then, in one transaction, the position is moved and what is
 * still to be done is recorded. A process that dies in between leaves documents that are ahead of the position, and the
 * same events are written once more: the newest state of a memory is all that a document holds, so that twice is once.
 *
 * Several replicas take turns by a claim (`claim.ts`, `under-claim.ts`).
 */
export function typesenseProjection(db: Database, posting: Posting): Projection {
  const { place } = posting
  return {
    ...place,
    position: (scope) => readPlace(scope.db, place, scope.projectId),
    async apply(scope, batch) {
      if (!posting.isKept) await posting.gate.pass(() => keepCollection(db, posting))
      try {
        await underClaim(posting, scope, batch, async (held) => {
          const settled = held.settled ? null : await takeBack(posting, held, held.position)
          const posted = await postMemories(posting, held, newestOfEach(batch.events), batch.erased)
          await held.commit(async (trx) => {
            if (settled !== null) {
              await settled(trx)
              await noteSettled(trx, place, scope.projectId)
            }
            await recordPosted(trx, posting, scope.projectId, posted)
            await savePosition(trx, place, scope.projectId, batch)
          })
        })
      } catch (error) {
        if (!isMissing(error)) throw error
        // It is about all projects, and a scope's handle sees one.
        await keepCollection(db, posting)
        throw new PositionMoved(place.name, batch.from.sequence)
      }
    },
    async rewind(scope, { from, to }) {
      await underClaim(posting, scope, null, async (held) => {
        if (held.position.sequence !== from.sequence || held.position.hash !== from.hash)
          throw new PositionMoved(place.name, from.sequence)
        const record = await takeBack(posting, held, to)
        await held.commit(async (trx) => {
          await record(trx)
          await rewindPosition(trx, place, scope.projectId, to)
          await noteSettled(trx, place, scope.projectId)
        })
      })
    },
    outside: {
      unsettled: () => listUnsettled(db, place),
      settle: (scope) => settle(posting, scope),
    },
  }
}

/** Several events of one memory come to one document: the newest carries the whole state. */
function newestOfEach(events: readonly JournalEvent[]): Memory[] {
  const newest = new Map(events.map((event) => [event.memoryId, event]))
  return [...newest.values()].map(({ data, version, sequence }) => ({ state: data.state, version, sequence }))
}
