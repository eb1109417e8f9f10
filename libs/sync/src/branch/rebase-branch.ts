import type { AppendRequest } from '@daybook/journal/append/append-request'
import { type LockedJournal, lockProject, readContext } from '@daybook/journal/append/batch-context'
import { writeEvents } from '@daybook/journal/append/commit-batch'
import { decideBatch } from '@daybook/journal/append/decide-batch'
import type { LinkedEvent } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { dropProvisional } from './append-to-branch.ts'
import { type BranchCommand, readBranch, toRequest } from './branch-commands.ts'

/**
 * Makes the branch's provisional events again on the home's events that are here, after commands have left the branch
 * without an event of the home's: they changed nothing there, or are conflicts.
 * @returns the events
 */
export async function rebaseBranch({ db, projectId }: ProjectScope): Promise<readonly LinkedEvent[]> {
  return db.transaction().execute(async (trx) => {
    const locked = await lockProject(trx, projectId, 'copy')
    const copied = await dropProvisional(trx, projectId, locked)
    await trx
      .deleteFrom('branch_commands')
      .where('project_id', '=', projectId)
      .where('sequence', '<=', copied.sequence)
      .execute()
    return replayBranch(trx, projectId, { ...locked, ...copied })
  })
}

/**
 * The same if something is left of commands that the home has decided without an event: they are in the branch still, or
 * only their provisional events are here. The process that sent them died, or the home's answer was lost.
 * @returns the events; none if nothing was left
 */
export async function rebaseIfLeft(scope: ProjectScope): Promise<readonly LinkedEvent[]> {
  const { db, projectId } = scope
  const { rows } = await sql<{ left: boolean }>`
    select exists (select from branch_commands b where b.project_id = f.project_id and b.sequence <= f.copied)
      or (h.sequence > f.copied and not exists (select from branch_commands b where b.project_id = f.project_id)) as left
    from followed_projects f join journal_heads h on h.project_id = f.project_id
    where f.project_id = ${projectId}`.execute(db)
  return rows[0]?.left === true ? rebaseBranch(scope) : []
}

/** Commands decided together. */
const PAGE = 500

/**
 * Makes the branch's provisional events again, on the journal's end: what the follower shows until the home decides. A
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
