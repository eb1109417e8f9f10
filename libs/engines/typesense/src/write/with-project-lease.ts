import { JournalDiverged } from '@daybook/journal/chain/journal-diverged'
import type { JournalPlace } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { PositionMoved, type ProjectionBatch } from '@daybook/projection/projection'
import { claimProject, lockClaim, releaseClaim, renewClaim } from './lease.ts'
import { TypesenseUnavailableError } from '../client/errors.ts'
import type { Posting } from './writer.ts'
import { noteReposts } from './note-rewrites.ts'

/** A project whose documents this process may write now. */
export interface HeldProject {
  readonly scope: ProjectScope
  readonly position: JournalPlace
  /** As of `Claim`. */
  readonly settled: boolean
  /** Makes a call that writes documents of these memories. @throws PositionMoved where the claim is lost: nothing is sent */
  write<T>(memoryIds: Iterable<string>, call: () => Promise<T>): Promise<T>
  /** Records in one transaction what was written, and gives the project free. @throws PositionMoved where the claim is lost */
  commit(record: (trx: DatabaseTransaction) => Promise<void>): Promise<void>
}

/**
 * Writes documents of a project and records it, as the only one to do so.
 *
 * The claim is looked at before each call, but a process can be paused between the look and the arrival, for longer than
 * the lease. Typesense has no conditional write: the late call then puts old documents over the newer ones of whoever took
 * over. So one who finds at the end that its claim is lost notes the memories it has written, and they are posted again
 * from the journal under a new claim. What is left is a process that is paused in that very moment and, after its late
 * call, killed before it can note anything.
 *
 * A call without an answer may yet be carried out. The claim is left to run out then, so that what it writes is not written
 * over something newer.
 *
 * @param batch what is to be applied: only if it begins at the position
 * @throws PositionMoved where another has the project, or the position is another; JournalDiverged where the journal does not
 *   have the batch's end
 */
export async function underClaim(
  posting: Posting,
  scope: ProjectScope,
  batch: Pick<ProjectionBatch, 'from' | 'to'> | null,
  work: (held: HeldProject) => Promise<void>,
): Promise<void> {
  const { place, leaseMs, client } = posting
  const { db, projectId } = scope
  const lost = () => new PositionMoved(place.name, batch?.from.sequence ?? 0)

  return posting.turns.take(projectId, async () => {
    const unansweredUntil = posting.unanswered.get(projectId) ?? 0
    if (performance.now() < unansweredUntil) {
      // Whoever goes over all projects goes on to the next one.
      if (batch === null) throw lost()
      throw new TypesenseUnavailableError(
        'A call to Typesense had no answer: the project waits until it cannot be carried out any more',
        false,
      )
    }
    posting.unanswered.delete(projectId)
    let claimedAt = performance.now()
    const claim = await claimProject(db, place, projectId, { leaseMs, batch })
    if (claim === null) throw lost()
    const { token, position, settled } = claim
    if (batch !== null && !claim.known) {
      await releaseClaim(db, place, projectId, token)
      throw new JournalDiverged(batch.to)
    }
    // Renewed while a whole call still fits into what is left of the lease.
    const renewAfterMs = Math.max(0, leaseMs - client.longestCallMs) / 2
    const written = new Set<string>()

    const held: HeldProject = {
      scope,
      position,
      settled,
      async write(memoryIds, call) {
        if (performance.now() - claimedAt > renewAfterMs) {
          const before = performance.now()
          if (!(await renewClaim(db, place, projectId, { token, leaseMs }))) throw lost()
          claimedAt = before
        }
        await posting.fence?.check(db)
        for (const memoryId of memoryIds) written.add(memoryId)
        return posting.gate.pass(call)
      },
      commit: (record) =>
        db.transaction().execute(async (trx) => {
          await posting.fence?.hold(trx)
          if (!(await lockClaim(trx, place, projectId, token))) throw lost()
          await record(trx)
          await releaseClaim(trx, place, projectId, token)
        }),
    }
    try {
      await work(held)
    } catch (error) {
      const mayArriveLater = error instanceof TypesenseUnavailableError && error.mayHaveArrived
      if (mayArriveLater) posting.unanswered.set(projectId, performance.now() + leaseMs)
      const wasHeld = await (mayArriveLater
        ? renewClaim(db, place, projectId, { token, leaseMs })
        : releaseClaim(db, place, projectId, token)
      ).catch(() => false)
      if (!wasHeld) await noteReposts(posting, scope, written)
      throw error
    }
  })
}
