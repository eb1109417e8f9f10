import { daemonUrl } from '@daybook/client/http/request'
import { readHead } from '@daybook/journal/read/read'
import { check } from '@daybook/memory/check'
import { DaybookError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import { LIMITS } from '@daybook/memory/limits'
import { shortString } from '@daybook/memory/text-rules'
import { readProjects } from '@daybook/postgres/access/projects'
import { bindToProject, type Database } from '@daybook/postgres/connect'
import { type BegunToFollow, beginFollowing, repoint } from '@daybook/sync/follower/begin-following'
import { type ConflictRule, updateFollowed } from '@daybook/sync/follower/followed-projects'
import { type FollowedStatus, listStatus, type ShownState } from '@daybook/sync/follower/status'
import { type Follower, listFollowers } from '@daybook/sync/home/followers'
import { deleteProject } from '../../erase.ts'
import { OperationRefusedError } from '../admin/operation-refused.ts'
import { builder } from '../builder.ts'
import { ADMIN, administered, administeredProject, DAYBOOK, requireAdmin } from '../resolve-in-project.ts'
import { enumOfWords } from '../types/enum-of-words.ts'
import { project } from '../types/project.ts'

interface FollowingStarted extends BegunToFollow {
  readonly status: FollowedStatus
}

const following = builder.objectRef<FollowingStarted>('Following')

builder.objectType(following, {
  description: 'The project is copied from now on. It can be read and searched as far as it is here.',
  fields: (t) => ({
    followed: t.field({ type: followedProject, resolve: ({ status }) => status }),
    tookOver: t.exposeBoolean('tookOver', {
      description: 'Whether it took the place of an empty project of the same name, with its keys.',
    }),
    again: t.exposeBoolean('again', {
      description: 'Whether it was followed before: then only its rule has changed.',
    }),
  }),
})

const unfollowed = builder.objectRef<{ readonly id: string; readonly dropped: number }>('Unfollowed')

builder.objectType(unfollowed, {
  description: 'It is followed no more, and its copy is removed from here. Its home keeps everything.',
  fields: (t) => ({
    id: t.exposeID('id'),
    dropped: t.exposeInt('dropped', { description: 'Commands and conflicts that never reached the home.' }),
  }),
})

const ID = { required: true, description: 'The project’s id or name here.' } as const

builder.mutationFields((t) => ({
  followProject: t.field({
    ...DAYBOOK,
    type: builder.errorUnion('FollowProjectResult', {
      types: [following, ValidationError, NotFoundError, OperationRefusedError],
      resolveType: () => 'Following',
    }),
    description:
      'Follows a project of another Daybook, its home: copies its journal, checks every link, and builds its own indexes, so that reads and searches are local. Writes go to the home; while it cannot be reached, into a branch, which is sent to it later. The project is new here, or an empty one of the same name, which is replaced. One that follows this home with this key already goes on; anything else is refused.',
    args: {
      url: t.arg.string({
        required: true,
        description: 'The home’s address, such as https://daybook.example:4000.',
      }),
      key: t.arg.string({
        required: true,
        description:
          'A key of the home with the scopes READ and FOLLOW in the project; with WRITE, too, if this Daybook is to write.',
      }),
      project: t.arg.string({ required: true, description: 'The project’s name or id at its home.' }),
      rule: t.arg({
        type: conflictRule,
        description:
          'How conflicts are resolved. Default LATEST_WINS; of a project that is followed already, what it was.',
      }),
    },
    resolve: async (_, { url, key, project: atHome, rule }, context) => {
      const db = requireAdmin(context)
      const home = { url: checkUrl(url), key: checkKey(key) }
      const name = check('project', shortString(LIMITS.nameCharacters), atHome)
      const client = context.parts.homeOf({ home, projectId: name, followerId: newId() })
      const wanted = { project: name, home, rule: rule ?? null }
      const begun = await refusing(home.url, () => beginFollowing(db, client, wanted))
      context.parts.authenticate.forget()
      context.parts.sync?.look()
      return { ...begun, status: await requireFollowed(db, begun.projectId) }
    },
  }),
  repointProject: t.field({
    ...DAYBOOK,
    type: builder.errorUnion('RepointProjectResult', {
      types: [followedProject, ValidationError, NotFoundError, OperationRefusedError],
      resolveType: () => 'FollowedProject',
    }),
    description:
      'Has a followed project follow its home at another address, another home after that one has moved, or with another key. What is here stays: if the new home does not have all of it, following is paused until a person decides.',
    args: {
      id: t.arg.id(ID),
      url: t.arg.string({ required: true, description: 'The home’s address from now on.' }),
      key: t.arg.string({ required: true, description: 'A key of that home, as for `followProject`.' }),
    },
    resolve: async (_, { id, url, key }, context) => {
      const db = requireAdmin(context)
      const address = { url: checkUrl(url), key: checkKey(key) }
      const { id: projectId } = await administeredProject(context, id)
      await requireFollowed(db, projectId)
      const client = context.parts.homeOf({ home: address, projectId, followerId: newId() })
      await refusing(address.url, () => repoint(db, client, { projectId, address }))
      context.parts.sync?.look()
      return requireFollowed(db, projectId)
    },
  }),
  changeFollowedProject: t.field({
    ...ADMIN,
    type: builder.errorUnion('ChangeFollowedProjectResult', {
      types: [followedProject, ValidationError, NotFoundError],
      resolveType: () => 'FollowedProject',
    }),
    description:
      'Pauses or resumes a followed project, or changes how its conflicts are resolved. What is not given stays.',
    args: {
      id: t.arg.id(ID),
      paused: t.arg.boolean({
        description: 'While it is paused, nothing is copied, and what is written goes into the branch.',
      }),
      rule: t.arg({ type: conflictRule }),
      goBack: t.arg.boolean({
        description:
          'Whether the copy may go back, once, to the last event that its home has too. The changes of what comes after it go into the branch, to be sent to the home again.',
      }),
    },
    resolve: async (_, { id, paused, rule, goBack }, context) => {
      const { id: projectId } = await administeredProject(context, id)
      await requireFollowed(context.directory, projectId)
      await updateFollowed(
        { db: bindToProject(context.directory, projectId), projectId },
        {
          ...(paused != null && { paused, problem: null }),
          ...(rule != null && { rule }),
          ...(goBack != null && { mayGoBack: goBack }),
        },
      )
      context.parts.sync?.look()
      return requireFollowed(context.directory, projectId)
    },
  }),
  unfollowProject: t.field({
    ...DAYBOOK,
    type: builder.errorUnion('UnfollowProjectResult', {
      types: [unfollowed, NotFoundError, OperationRefusedError],
      resolveType: () => 'Unfollowed',
    }),
    description:
      'Ends following a project and removes its copy from this Daybook: journal, indexes and vectors. Its home keeps everything. Refused while something of the branch has not reached the home.',
    args: {
      id: t.arg.id(ID),
      dropUnshared: t.arg.boolean({
        defaultValue: false,
        description: 'Also if commands or conflicts have not reached the home. They are lost.',
      }),
    },
    resolve: async (_, { id, dropUnshared }, context) => {
      const db = requireAdmin(context)
      const { id: projectId, name } = await administeredProject(context, id)
      const { waiting, openConflicts } = await requireFollowed(db, projectId)
      const dropped = waiting + openConflicts
      if (dropped > 0 && dropUnshared !== true)
        throw new OperationRefusedError(
          'REFUSED',
          `${waiting} commands wait for the home, and ${openConflicts} conflicts for a decision: they are only here, and would be lost. Let them reach the home first, or say that they may be dropped`,
        )
      await deleteProject(db, context, projectId, name)
      return { id: projectId, dropped }
    },
  }),
}))

function checkUrl(given: string): string {
  const url = daemonUrl(given)
  if (url === null)
    throw new ValidationError('url', 'must be the address of a Daybook, such as https://daybook.example:4000')
  return url
}

function checkKey(key: string): string {
  if (!/^[!-~]{1,255}$/u.test(key)) throw new ValidationError('key', 'is not a key of Daybook: dbk_…')
  return key
}

/** How a followed project stands. @throws NotFoundError */
export async function requireFollowed(db: Database, projectId: string): Promise<FollowedStatus> {
  const [found] = await listStatus(db, [projectId])
  if (found === undefined) throw new NotFoundError(`A followed project ${projectId}`, 'Daybook')
  return found
}

const EXPECTED = new Set([
  'IMPORT_CONFLICT',
  'UNAVAILABLE',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'REFUSED',
  'QUARANTINED',
])

/** What a home says of the key and the project that it was asked with: alone it would read as if it were meant here. */
const OF_HOME = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'QUARANTINED'])

/**
 * What the home says is about the home, not about the caller's key here.
 * @param url the home's
 * @throws OperationRefusedError
 */
export async function refusing<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DaybookError) || !EXPECTED.has(error.code)) throw error
    const { code, message } = error
    throw new OperationRefusedError('REFUSED', OF_HOME.has(code) ? `${url} refuses: ${message}` : message, {
      cause: error,
    })
  }
}

/** The enum `ConflictRule`. */
const conflictRule = enumOfWords<ConflictRule>('ConflictRule', {
  LATEST_WINS: 'A change made offline is made on top of the other one; both are in the history.',
  ASK: 'It waits until a person decides.',
})

const shownState = enumOfWords<ShownState>('SyncState', {
  COPYING: 'The home’s events are being copied.',
  CONNECTED: 'Everything that the home has is here.',
  OFFLINE: 'The home does not answer. Reads and searches go on, and writes go into the branch.',
  REFUSED: 'The home refuses this Daybook, or cannot be followed as it is. Nothing can be written.',
  MOVED:
    'The project has its home elsewhere now (`movedTo`). The former home passes everything on, as long as it is there.',
  PAUSED: 'Nothing is copied or sent until it is resumed. `problem` says why, if nobody asked for that.',
  STOPPED: 'No process follows it: start the sync service.',
})

/** The type `FollowedProject`. */
const followedProject = builder.objectRef<FollowedStatus>('FollowedProject')

builder.objectType(followedProject, {
  description: 'A project whose home is another Daybook, which alone gives out its sequences.',
  fields: (t) => ({
    project: t.field({
      type: project,
      resolve: async ({ projectId }, _, { directory }) => {
        const [found] = await readProjects(bindToProject(directory, projectId), [projectId])
        if (found === undefined) throw new Error(`the project ${projectId} is gone`)
        return found
      },
    }),
    homeUrl: t.string({ resolve: ({ home }) => home.url }),
    state: t.field({ type: shownState, resolve: ({ shown }) => shown }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why it is not connected, or was paused, as a sentence.',
    }),
    rule: t.field({
      type: conflictRule,
      resolve: ({ rule }) => rule,
      description: 'How conflicts are resolved.',
    }),
    epoch: t.exposeInt('epoch', { description: 'How many homes the project has had.' }),
    copied: t.int({
      resolve: ({ copied }) => copied.sequence,
      description: 'The last of the home’s events that is here.',
    }),
    homeSequence: t.exposeInt('homeSequence', {
      description: 'How far the home was when it was last heard.',
    }),
    lagEvents: t.exposeInt('lagEvents', {
      description: 'How many of the home’s events are missing here, as far as is known.',
    }),
    lagSeconds: t.exposeFloat('lagSeconds', {
      nullable: true,
      description:
        'For how long something may have been missing here; 0 while connected, null if it was never complete.',
    }),
    waiting: t.exposeInt('waiting', {
      description: 'Commands in the branch: those whose events have not come from the home yet.',
    }),
    waitingSince: t.field({ type: 'DateTime', nullable: true, resolve: ({ waitingSince }) => waitingSince }),
    openConflicts: t.exposeInt('openConflicts', { description: 'Conflicts that wait for a person.' }),
    movedTo: t.exposeString('movedTo', {
      nullable: true,
      description: 'Where the project has its home now, if it is not where it was followed.',
    }),
    followedSince: t.field({ type: 'DateTime', resolve: ({ followedSince }) => followedSince }),
  }),
})

builder.queryField('followedProjects', (t) =>
  t.field({
    ...ADMIN,
    type: [followedProject],
    description: 'The projects that follow another Daybook, as far as the key administers them.',
    resolve: (_, __, context) => listStatus(context.directory, administered(context)),
  }),
)

const follower = builder.objectRef<Follower>('ProjectFollower')

builder.objectType(follower, {
  description: 'A Daybook that follows a project of this one.',
  fields: (t) => ({
    id: t.id({ resolve: ({ followerId }) => followerId }),
    name: t.exposeString('name', {
      description: 'As it calls itself, such as its machine’s name. Nothing proves it.',
    }),
    keyId: t.exposeID('keyId', {
      description: 'The key with which it follows: revoke it, and it follows no more.',
    }),
    sequence: t.exposeInt('sequence', {
      description: 'How far it may be: the last event that was sent to it.',
    }),
    lagEvents: t.int({
      resolve: async ({ sequence }, _, context) => Math.max(0, (await readHead(context.project)) - sequence),
      description: 'How many events have not been sent to it.',
    }),
    seenAt: t.field({ type: 'DateTime', resolve: ({ seenAt }) => seenAt, description: 'Noted every 5 s.' }),
  }),
})

builder.queryField('followers', (t) =>
  t.field({
    ...ADMIN,
    type: [follower],
    description: 'Who follows the request’s project, the last seen first.',
    resolve: async (_, __, context) => {
      await administeredProject(context, context.project.projectId)
      return listFollowers(context.project)
    },
  }),
)
