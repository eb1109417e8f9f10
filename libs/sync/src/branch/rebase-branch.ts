import { lockProject } from '@daybook/journal/append/lock-project'
import type { LinkedEvent } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { dropProvisional } from './drop-provisional.ts'
import { replayBranch } from './replay-branch.ts'

/**
 * Makes the branch's provisional events anew on the home's events that are here, after commands have left the branch
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
