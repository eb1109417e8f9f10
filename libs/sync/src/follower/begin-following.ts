import { lockProject } from '@daybook/journal/append/lock-project'
import { readHash } from '@daybook/journal/chain/read-chain'
import { readEnd } from '@daybook/journal/read/read'
import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import { placeProject } from '@daybook/postgres/access/claim-imported-project'
import { forgetRemovedCopy, readDeleted } from '@daybook/postgres/access/delete-project'
import { READER_VERSION } from '@daybook/postgres/compatibility'
import type { Database } from '@daybook/postgres/connect'
import { placeAnswered } from '../home/common-place.ts'
import { homeInfo } from '../home/home-info.ts'
import {
  type ConflictRule,
  type HomeAddress,
  insertFollowed,
  readFollowed,
  updateFollowed,
} from './followed-projects.ts'
import type { HomeClient } from './home-client.ts'

/** What is followed from now on. */
export interface BegunToFollow {
  readonly projectId: string
  /** The project's name here. */
  readonly name: string
  /** Whether it replaced an empty project of the same name, and took over its keys. */
  readonly tookOver: boolean
  /** Whether it was followed before: then only the home's address, its key or the rule changed. */
  readonly again: boolean
}

/**
 * Begins to follow a project: makes it here, with the id that its events have, or takes one that has a beginning of the
 * home's journal, such as from a backup. A project that is followed already gets the new address and key.
 *
 * @param home a client that names the project as the caller does
 * @param rule null: as it is, else LATEST_WINS
 * @throws DaybookError IMPORT_CONFLICT if the project here has other events than the home; REFUSED if it cannot be read
 * here; UnavailableError, and what the home refuses
 */
export async function beginFollowing(
  db: Database,
  home: HomeClient,
  address: HomeAddress,
  rule: ConflictRule | null,
): Promise<BegunToFollow> {
  const { project, minimumReader, movedTo } = await home.ask('hello', {}, homeInfo)
  if (minimumReader > READER_VERSION)
    throw new DaybookError(
      'REFUSED',
      `The journal at ${address.url} needs a reader of version ${minimumReader}, and this Daybook reads as version ${READER_VERSION}: upgrade it first`,
    )
  if (
    movedTo !== null &&
    (await readFollowed({ db, projectId: project.id })) === null &&
    movedTo === address.url
  )
    throw new DaybookError('REFUSED', 'A Daybook cannot follow itself')
  const removed = await readDeleted(db, project.id)
  if (removed !== null && !(await forgetRemovedCopy(db, project.id)) && removed.finishedAt === null)
    throw new UnavailableError('Its former copy is still being removed here: try again in a moment')
  const { scope, name, tookOver } = await placeProject(db, project)
  const { projectId } = scope
  const known = await readFollowed(scope)
  if (known !== null) {
    await updateFollowed(scope, {
      home: address,
      ...(rule !== null && { rule }),
      paused: false,
      // What is connected with this address and key stays so.
      ...((known.home.url !== address.url ||
        known.home.key !== address.key ||
        !['CONNECTED', 'COPYING'].includes(known.state)) && { state: 'OFFLINE', problem: null }),
      movedTo: null,
    })
    return { projectId, name, tookOver, again: true }
  }
  const end = await readEnd(scope)
  const { common } = await home.ask('common', { places: [end] }, placeAnswered)
  if (common === null || (await readHash(scope, common)) !== end.hash)
    throw new DaybookError(
      'IMPORT_CONFLICT',
      `The project "${name}" here has events that its journal at ${address.url} does not have, so it cannot follow that one: the two are homes of their own`,
    )
  await scope.db.transaction().execute(async (trx) => {
    const { sequence, hash } = await lockProject(trx, projectId)
    if (sequence !== end.sequence || hash !== end.hash)
      throw new DaybookError('IMPORT_CONFLICT', `The project "${name}" was written to just now: try again`)
    await insertFollowed(trx, projectId, address, { copied: end, rule: rule ?? 'LATEST_WINS' })
  })
  return { projectId, name, tookOver, again: false }
}
