import type { AppendRequest } from '@daybook/journal/append/append-request'
import { readContext } from '@daybook/journal/append/batch-context'
import { decideBatch } from '@daybook/journal/append/decide-batch'
import type { LockedJournal } from '@daybook/journal/append/lock-project'
import { writeEvents } from '@daybook/journal/append/write-events'
import type { LinkedEvent } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { type BranchCommand, readBranch, toRequest } from './branch-commands.ts'

/** Commands decided together. */
const PAGE = 500

/**
 * Makes the branch's provisional events anew, on the journal's end: what the follower shows until the home decides. A
 * command that would be refused here shows nothing; what becomes of it is the home's to say. Call it under the project's
 * lock.
 * @param onRefused called with the commands that would be refused
 * @returns the events
 */
export async function replayBranch(
  trx: DatabaseTransaction,
  projectId: string,
  head: Pick<LockedJournal, 'sequence' | 'hash' | 'epoch' | 'now'>,
  onRefused: (command: BranchCommand, error: Error) => void = () => {},
): Promise<readonly LinkedEvent[]> {
  const commands: BranchCommand[] = []
  const requests: AppendRequest[] = []
  for (const one of await readBranch(trx, projectId))
    try {
      requests.push(toRequest(one))
      commands.push(one)
    } catch (error) {
      onRefused(one, error as Error)
    }
  const replayed: LinkedEvent[] = []
  let end = head
  for (let from = 0; from < requests.length; from += PAGE) {
    const page = requests.slice(from, from + PAGE)
    const context = await readContext(trx, projectId, page)
    const { rows, events, newKeyUses, outcomes } = decideBatch(page, context, {
      projectId,
      head: end,
      now: end.now,
    })
    for (const [index, outcome] of outcomes.entries())
      if ('error' in outcome) onRefused(commands[from + index] as BranchCommand, outcome.error)
    const last = events.at(-1)
    if (last === undefined && newKeyUses.size === 0) continue
    const { sequence, hash } = last ?? end
    await writeEvents(trx, projectId, rows, newKeyUses, { sequence, hash, recordedAt: end.now })
    end = { ...end, sequence, hash }
    replayed.push(...events)
  }
  return replayed
}
