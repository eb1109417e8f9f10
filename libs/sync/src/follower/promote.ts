import { lockProject } from '@daybook/journal/append/batch-context'
import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import type { LinkedEvent } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { dropProvisional } from '../branch/append-to-branch.ts'
import { type BranchCommand, readBranchSize } from '../branch/branch-commands.ts'
import { countOpenConflicts, noteConflict } from '../branch/conflicts.ts'
import { replayBranch } from '../branch/rebase-branch.ts'
import { handOverAnswered } from '../home/hand-over.ts'
import { toWire } from '../wire/wire-error.ts'
import {
  deleteFollowed,
  type Followed,
  type HomeAddress,
  readFollowed,
  updateFollowed,
} from './followed-projects.ts'
import type { HomeClient } from './home-client.ts'

/** What a promotion came to. */
interface Promoted {
  readonly epoch: number
  /** The branch's commands, which were decided here. */
  readonly events: readonly LinkedEvent[]
}

/**
 * Makes this Daybook the home of a project that it follows, with the old home's consent: everything that it has is here,
 * and it follows this one from then on. If the answer is lost, whoever follows the project asks again (`finishTaking`).
 *
 * @param own where the old home finds this Daybook, and with which key
 * @returns null if the old home has gone on meanwhile: ask again once that is here
 * @throws DaybookError REFUSED if something waits in the branch; UnavailableError if the old home does not answer
 */
export async function takeOver(
  scope: ProjectScope,
  home: HomeClient,
  own: HomeAddress,
): Promise<Promoted | null> {
  const epoch = await scope.db.transaction().execute(async (trx) => {
    // From here on, what is written goes into the branch.
    const locked = await lockProject(trx, scope.projectId, 'copy')
    const { waiting } = await readBranchSize(trx, scope.projectId)
    const open = await countOpenConflicts(trx, scope.projectId)
    const begun = (await readFollowed({ db: trx, projectId: scope.projectId }))?.takingEpoch
    // Asked again, because the answer was lost: the old home may wait for this one, and then the branch reaches nobody.
    if (begun == null && waiting + open > 0)
      throw new DaybookError(
        'REFUSED',
        `${waiting} commands wait in the branch and ${open} conflicts for a decision: let them reach the home first, or promote without it (--lost)`,
      )
    await updateFollowed({ db: trx, projectId: scope.projectId }, { takingEpoch: locked.epoch + 1, own })
    return locked.epoch + 1
  })
  return finishTaking(scope, home, own, epoch)
}

/**
 * Asks the old home, and becomes the home if it agrees. It completes `takeOver` where the answer was lost, and may be at work
 * twice at a time.
 * @throws as `takeOver`
 */
export async function finishTaking(
  scope: ProjectScope,
  home: HomeClient,
  own: HomeAddress,
  epoch: number,
): Promise<Promoted | null> {
  const followed = await readFollowed(scope)
  if (followed === null) return { epoch, events: [] }
  const giveUp = () => updateFollowed(scope, { takingEpoch: null, own: null })
  const { handedOver } = await home
    .ask('hand-over', { epoch, ...own, at: followed.copied }, handOverAnswered)
    .catch(async (error: unknown) => {
      if (!(error instanceof UnavailableError)) await giveUp()
      throw error
    })
  if (!handedOver) {
    await giveUp()
    return null
  }
  return becomeHome(scope, epoch, null).catch(async (error: unknown) => {
    if ((await readFollowed(scope)) === null) return { epoch, events: [] }
    throw error
  })
}

/**
 * Makes this Daybook the home of a project whose home is lost. Everything that is here stays; what only the lost home had is
 * not here. If it comes back, it is told (`begin-following.ts`), and what only it has becomes a branch there.
 */
export async function promoteWithoutHome(scope: ProjectScope, own: HomeAddress): Promise<Promoted> {
  const followed = await readFollowed(scope)
  if (followed === null)
    throw new DaybookError(
      'REFUSED',
      'This Daybook is the home of the project already: there is nothing to promote',
    )
  return becomeHome(scope, null, { followed, own })
}

/** In one transaction: the branch's commands become events of the new epoch, and the journal is this Daybook's own. */
async function becomeHome(
  { db, projectId }: ProjectScope,
  agreed: number | null,
  lost: { readonly followed: Followed; readonly own: HomeAddress } | null,
): Promise<Promoted> {
  return db.transaction().execute(async (trx) => {
    const locked = await lockProject(trx, projectId, 'copy')
    const epoch = agreed ?? locked.epoch + 1
    const copied = await dropProvisional(trx, projectId, locked)
    const refused: { readonly command: BranchCommand; readonly error: Error }[] = []
    const events = await replayBranch(
      trx,
      projectId,
      { ...locked, ...copied, epoch },
      (command, error) => void refused.push({ command, error }),
    )
    for (const { command, error } of refused) {
      if (!(error instanceof DaybookError)) throw error
      await noteConflict(trx, projectId, command, toWire(error), null)
    }
    await trx.deleteFrom('branch_commands').where('project_id', '=', projectId).execute()
    await deleteFollowed(trx, projectId, epoch)
    if (lost !== null) await noteFormerHome(trx, projectId, lost.followed.home, lost.own, epoch)
    return { epoch, events }
  })
}

async function noteFormerHome(
  trx: DatabaseTransaction,
  projectId: string,
  { url, key }: HomeAddress,
  own: HomeAddress,
  epoch: number,
): Promise<void> {
  const values = { url, key, own_url: own.url, own_key: own.key, epoch, problem: null }
  await trx
    .insertInto('former_homes')
    .values({ project_id: projectId, ...values })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(values))
    .execute()
}
