import { lockProject } from '@daybook/journal/append/batch-context'
import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import { placeProjectIn } from '@daybook/postgres/access/claim-imported-project'
import { forgetRemovedCopy, readDeleted } from '@daybook/postgres/access/delete-project'
import { READER_VERSION } from '@daybook/postgres/compatibility'
import type { Database } from '@daybook/postgres/connect'
import { type HomeInfo, homeInfo } from '../home/home-state.ts'
import {
  type ConflictRule,
  type Followed,
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
  /** Whether it was followed before: then only the rule changed. */
  readonly again: boolean
}

/** What is to be followed. */
interface WantedProject {
  /** The project's name or id at its home. */
  readonly project: string
  readonly home: HomeAddress
  /** Null: as it is, else LATEST_WINS. */
  readonly rule: ConflictRule | null
}

/**
 * Begins to follow a project: makes it here, with the id that its events have. A home says itself which project it has, so
 * nothing that is here already is bound to it: only a new project, or an empty one that the caller named. A project that
 * follows exactly this home with this key goes on.
 *
 * @param home a client that names the project as the caller does
 * @throws DaybookError IMPORT_CONFLICT if the project is here already; REFUSED if it has another home or key, is not the one
 * that was asked for, or cannot be read here; UnavailableError, and what the home refuses
 */
export async function beginFollowing(
  db: Database,
  home: HomeClient,
  { project: asked, home: address, rule }: WantedProject,
): Promise<BegunToFollow> {
  const { project, movedTo } = await askHello(home, address)
  const { id: projectId } = project
  const byId = asked.toLowerCase() === projectId
  if (!byId && asked !== project.name)
    throw new DaybookError(
      'REFUSED',
      `${address.url} was asked for the project "${asked}", and answered for another one, so it is not followed`,
    )
  const here = await db
    .selectFrom('projects')
    .select(['id', 'name'])
    .where((either) => either.or([either('id', '=', projectId), either('name', '=', project.name)]))
    .execute()
  const same = here.find(({ id }) => id === projectId)
  const known = await readFollowed({ db, projectId })
  if (known !== null) {
    requireSameHome(known, address, same?.name ?? projectId)
    await updateFollowed(
      { db, projectId },
      { paused: false, ...(rule !== null && { rule }), ...(known.paused && { problem: null }) },
    )
    return { projectId, name: same?.name ?? project.name, tookOver: false, again: true }
  }
  if (same !== undefined)
    throw new DaybookError(
      'IMPORT_CONFLICT',
      movedTo === address.url
        ? 'A Daybook cannot follow itself'
        : `The project "${same.name}" (${projectId}) is this Daybook's own, so it cannot become the copy of one at ${address.url}: the two are homes of their own`,
    )
  if (byId && here.length > 0)
    throw new DaybookError(
      'IMPORT_CONFLICT',
      `The name "${project.name}" belongs to another project here: rename that one, or follow by this name if it is empty and may be replaced`,
    )
  const removed = await readDeleted(db, projectId)
  if (removed !== null && !(await forgetRemovedCopy(db, projectId)) && removed.finishedAt === null)
    throw new UnavailableError('Its former copy is still being removed here: try again in a moment')
  // In one transaction, so that what cannot be bound is not left behind as a project of its own.
  return db.transaction().execute(async (trx) => {
    const { name, tookOver } = await placeProjectIn(trx, project)
    const { sequence, hash } = await lockProject(trx, projectId)
    if (sequence !== 0)
      throw new DaybookError(
        'IMPORT_CONFLICT',
        `The project "${name}" was written to just now: it is not new`,
      )
    const copied = { sequence, hash }
    await insertFollowed(trx, projectId, address, { copied, rule: rule ?? 'LATEST_WINS' })
    return { projectId, name, tookOver, again: false }
  })
}

/**
 * Has a followed project follow another home, or with another key: a person says that it is the same project there. Nothing
 * that is here is taken back by that.
 * @param home a client of the new home, for the project's id
 * @throws DaybookError REFUSED if that one has another project, or cannot be read here; UnavailableError, and what it refuses
 */
export async function repoint(
  db: Database,
  home: HomeClient,
  { projectId, address }: { readonly projectId: string; readonly address: HomeAddress },
): Promise<void> {
  const { project } = await askHello(home, address)
  if (project.id !== projectId)
    throw new DaybookError('REFUSED', `${address.url} has another project: it was asked for ${projectId}`)
  await updateFollowed(
    { db, projectId },
    { home: address, paused: false, state: 'OFFLINE', problem: null, movedTo: null },
  )
}

/** @throws DaybookError REFUSED if its journal cannot be read here */
async function askHello(home: HomeClient, { url }: HomeAddress): Promise<HomeInfo> {
  const info = await home.ask('hello', {}, homeInfo)
  if (info.minimumReader > READER_VERSION)
    throw new DaybookError(
      'REFUSED',
      `The journal at ${url} needs a reader of version ${info.minimumReader}, and this Daybook reads as version ${READER_VERSION}: upgrade it first`,
    )
  return info
}

/** @throws DaybookError REFUSED */
function requireSameHome({ home }: Followed, { url, key }: HomeAddress, name: string): void {
  if (home.url === url && home.key === key) return
  throw new DaybookError(
    'REFUSED',
    `The project "${name}" follows ${home.url} already${home.url === url ? ', with another key' : ''}. To change its home or key: daybook sync repoint`,
  )
}
