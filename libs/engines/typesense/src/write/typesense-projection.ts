import type { JournalEvent } from '@daybook/memory/events'
import type { Memory } from '@daybook/memory/state'
import type { Database } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { memoryAfter, newestOfEach } from '@daybook/projection/apply/applied-memories'
import { rewindPosition } from '@daybook/projection/positions/divergence'
import { forgetPosition, readPlace, savePosition } from '@daybook/projection/positions/positions'
import { PositionMoved, type Projection } from '@daybook/projection/projection'
import type { RemoveOptions } from '@daybook/projection/rebuild/rebuildable-projection'
import { isMissing, orNull } from '../client/errors.ts'
import { ofProject } from '../verify/compare-memories.ts'
import { keepCollection } from './keep-collection.ts'
import { takeBack } from './rewrites.ts'
import { listUnsettled, noteSettled, settle } from './settle.ts'
import { withProjectLease } from './with-project-lease.ts'
import { recordWritten, writeMemories } from './write-memories.ts'
import type { GenerationWriter } from './writer.ts'

/**
 * The Typesense read model. Documents are written first. Then one transaction moves the position and records
 * what remains to be done. A process that dies in between leaves documents that are ahead of the position,
 * and the same events are written again. That does no harm, because a document holds only the newest
 * state of its memory.
 *
 * Replicas take turns by a lease (`lease.ts`, `with-project-lease.ts`).
 */
export function typesenseProjection(db: Database, writer: GenerationWriter): Projection {
  const { place } = writer
  return {
    ...place,
    position: (scope) => readPlace(scope.db, place, scope.projectId),
    async apply(scope, batch) {
      if (!writer.isKept) await writer.gate.pass(() => keepCollection(db, writer))
      try {
        await withProjectLease(writer, scope, batch, async (held) => {
          const settled = held.settled ? null : await takeBack(writer, held, held.position)
          const written = await writeMemories(writer, held, memoriesOf(batch.events), batch.erased)
          await held.commit(async (trx) => {
            if (settled !== null) {
              await settled(trx)
              await noteSettled(trx, place, scope.projectId)
            }
            await recordWritten(trx, writer, scope.projectId, written)
            await savePosition(trx, place, scope.projectId, batch)
          })
        })
      } catch (error) {
        if (!isMissing(error)) throw error
        // It concerns all projects, and a scope's handle sees only one.
        await keepCollection(db, writer)
        throw new PositionMoved(place.name, batch.from.sequence)
      }
    },
    async rewind(scope, { from, to }) {
      await withProjectLease(writer, scope, null, async (held) => {
        if (held.position.sequence !== from.sequence || held.position.hash !== from.hash)
          throw new PositionMoved(place.name, from.sequence)
        const record = await takeBack(writer, held, to)
        await held.commit(async (trx) => {
          await record(trx)
          await rewindPosition(trx, place, scope.projectId, to)
          await noteSettled(trx, place, scope.projectId)
        })
      })
    },
    outside: {
      unsettled: () => listUnsettled(db, place),
      settle: (scope) => settle(writer, scope),
    },
  }
}

const memoriesOf = (events: readonly JournalEvent[]): Memory[] => newestOfEach(events).map(memoryAfter)

/** Documents per call have at most so many different sequences: an answer comes within the time of a call. */
const SEQUENCES = 1_000

/**
 * Deletes all documents of a deleted project from a generation, and what Postgres keeps about them. It holds the
 * project's lease, so nobody else writes meanwhile.
 * @returns how many documents there were
 * @throws PositionMoved if another process has the project; TypesenseUnavailableError
 */
export async function removeProject(
  writer: GenerationWriter,
  scope: ProjectScope,
  { events, signal }: RemoveOptions,
): Promise<number> {
  const { client, collection, place } = writer
  const { projectId } = scope
  let removed = 0
  await withProjectLease(writer, scope, null, async (held) => {
    const remove = async (filter: string): Promise<void> => {
      signal.throwIfAborted()
      const answer = await held.write([], () =>
        // There is no such collection if nothing was ever written.
        orNull(
          client.request((typesense) =>
            typesense.collections(collection).documents().delete({ filter_by: filter }),
          ),
        ),
      )
      removed += answer?.num_deleted ?? 0
    }
    for (let upTo = SEQUENCES; upTo < events; upTo += SEQUENCES)
      await remove(`${ofProject(projectId)} && sequence:<=${upTo}`)
    await remove(ofProject(projectId))
    await held.commit(async (trx) => {
      for (const table of ['typesense_pending_vectors', 'typesense_reposts'] as const)
        await trx
          .deleteFrom(table)
          .where('generation', '=', place.generation)
          .where('project_id', '=', projectId)
          .execute()
      await forgetPosition({ db: trx, projectId }, place)
    })
  })
  return removed
}
