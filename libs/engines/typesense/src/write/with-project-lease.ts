import { JournalDiverged } from '@daybook/journal/chain/check-chain'
import type { JournalCursor } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { PositionMoved, type ProjectionBatch } from '@daybook/projection/projection'
import { TypesenseUnavailableError } from '../client/errors.ts'
import { leaseProject, lockLease, releaseLease, renewLease } from './lease.ts'
import { type GenerationWriter, noteRewrites } from './writer.ts'

/** A project whose documents this process may write now. */
export interface LeasedProject {
  readonly scope: ProjectScope
  readonly position: JournalCursor
  /** As in `ProjectLease`. */
  readonly settled: boolean
  /**
   * Makes a call that writes documents of these memories. @throws PositionMoved if the lease is lost: nothing
   * is sent
   */
  write<T>(memoryIds: Iterable<string>, call: () => Promise<T>): Promise<T>
  /**
   * Records in one transaction what was written, and releases the project. @throws PositionMoved if the lease
   * is lost
   */
  commit(record: (trx: DatabaseTransaction) => Promise<void>): Promise<void>
}

/**
 * Writes documents of a project and records it, as the only process to do so.
 *
 * The lease is checked before each call. But a process can be paused between the check and the call's arrival
 * for longer than the lease, and Typesense has no conditional write: the late call then overwrites newer
 * documents of the next owner. So a process that finds at the end that its lease is lost records the memories
 * it has written, and they are rewritten from the journal under a new lease. One gap remains: a process that
 * is paused at that very moment and, after its late call, is killed before it can record anything.
 *
 * A call without an answer may still be carried out. The lease is then left to run out, so that the late call
 * cannot overwrite anything newer.
 *
 * @param batch the batch to apply; the position must be its beginning
 * @throws PositionMoved if another process has the project, or the position differs; JournalDiverged if the
 *   journal does not have the batch's end
 */
export async function withProjectLease(
  writer: GenerationWriter,
  scope: ProjectScope,
  batch: Pick<ProjectionBatch, 'from' | 'to'> | null,
  work: (held: LeasedProject) => Promise<void>,
): Promise<void> {
  const { place, leaseMs, client } = writer
  const { db, projectId } = scope
  const lost = () => new PositionMoved(place.name, batch?.from.sequence ?? 0)

  return writer.mutex.take(projectId, async () => {
    const unansweredUntil = writer.unanswered.get(projectId) ?? 0
    if (performance.now() < unansweredUntil) {
      // The caller goes through all projects and continues with the next one.
      if (batch === null) throw lost()
      throw new TypesenseUnavailableError(
        'A call to Typesense had no answer. The project waits until the call can no longer take effect',
        false,
      )
    }
    writer.unanswered.delete(projectId)
    let leasedAt = performance.now()
    const lease = await leaseProject(db, place, projectId, { leaseMs, batch })
    if (lease === null) throw lost()
    const { token, position, settled } = lease
    if (batch !== null && !lease.known) {
      await releaseLease(db, place, projectId, token)
      throw new JournalDiverged(batch.to)
    }
    // Renewed while a whole call still fits into the rest of the lease.
    const renewAfterMs = Math.max(0, leaseMs - client.longestCallMs) / 2
    const written = new Set<string>()

    const held: LeasedProject = {
      scope,
      position,
      settled,
      async write(memoryIds, call) {
        if (performance.now() - leasedAt > renewAfterMs) {
          const before = performance.now()
          if (!(await renewLease(db, place, projectId, { token, leaseMs }))) throw lost()
          leasedAt = before
        }
        await writer.fence?.check(db)
        for (const memoryId of memoryIds) written.add(memoryId)
        return writer.gate.pass(call)
      },
      commit: (record) =>
        db.transaction().execute(async (trx) => {
          await writer.fence?.hold(trx)
          if (!(await lockLease(trx, place, projectId, token))) throw lost()
          await record(trx)
          await releaseLease(trx, place, projectId, token)
        }),
    }
    try {
      await work(held)
    } catch (error) {
      const mayArriveLater = error instanceof TypesenseUnavailableError && error.mayHaveArrived
      if (mayArriveLater) writer.unanswered.set(projectId, performance.now() + leaseMs)
      const wasHeld = await (mayArriveLater
        ? renewLease(db, place, projectId, { token, leaseMs })
        : releaseLease(db, place, projectId, token)
      ).catch(() => false)
      if (!wasHeld) await noteRewrites(writer, scope, written)
      throw error
    }
  })
}
