import { graphql, type InputOf, type ResultOf } from '@daybook/api/graphql'
import { succeeded } from '@daybook/client/calls/calls'
import { FAILURE } from '@daybook/client/documents/failure'
import { refresh } from '../components/hooks.ts'
import { changeOnce, read } from './client.ts'
import { sessionChanged } from './session.ts'

const FOLLOWED = graphql(`query Sync {
  followedProjects {
    project { id name } homeUrl state problem rule epoch copied homeSequence lagEvents lagSeconds waiting waitingSince
    openConflicts movedTo followedSince
  }
}`)

/** A project whose home is another Daybook. */
export type FollowedProject = ResultOf<typeof FOLLOWED>['followedProjects'][number]
/** How conflicts are resolved. */
export type ConflictRule = InputOf<'ConflictRule'>

/** The projects that follow another Daybook, as far as the session's key administers them. @throws DaybookClientError */
export const listFollowed = async (signal: AbortSignal): Promise<readonly FollowedProject[]> =>
  (await read(FOLLOWED, {}, { signal })).followedProjects

const FOLLOWERS = graphql(`query Followers {
  followers { id name keyId sequence lagEvents seenAt } keys { id name }
}`)

/** A Daybook that follows the project, with the name of its key. */
export type Follower = ResultOf<typeof FOLLOWERS>['followers'][number] & { readonly keyName: string | null }

/** Who follows the project that the page is about, the last seen first. @throws DaybookClientError */
export async function listFollowers(signal: AbortSignal): Promise<readonly Follower[]> {
  const { followers, keys } = await read(FOLLOWERS, {}, { signal })
  const names = new Map(keys.map(({ id, name }) => [id, name]))
  return followers.map((one) => ({ ...one, keyName: names.get(one.keyId) ?? null }))
}

const FOLLOW = graphql(
  `mutation FollowProject($url: String!, $key: String!, $project: String!, $rule: ConflictRule) {
    result: followProject(url: $url, key: $key, project: $project, rule: $rule) {
      __typename ... on Following { again tookOver followed { homeUrl project { id name } } } ...Failure
    }
  }`,
  [FAILURE],
)

/** What is to be followed. */
export interface WantedProject {
  readonly url: string
  readonly key: string
  readonly project: string
  readonly rule: ConflictRule
}

/** Follows a project of another Daybook. @throws DaybookClientError */
export async function followProject(wanted: WantedProject) {
  const following = await changeOnce(FOLLOW, { ...wanted }, ({ result }) => succeeded(result))
  sessionChanged()
  return following
}

const REPOINT = graphql(
  `mutation Repoint($id: ID!, $url: String!, $key: String!) {
    result: repointProject(id: $id, url: $url, key: $key) {
      __typename ... on FollowedProject { homeUrl project { name } } ...Failure
    }
  }`,
  [FAILURE],
)

/** Gives a followed project another address or key of its home, or another home. @throws DaybookClientError */
export const repointProject = (wanted: { readonly id: string; readonly url: string; readonly key: string }) =>
  changeOnce(REPOINT, { ...wanted }, ({ result }) => succeeded(result))

const CHANGE = graphql(
  `mutation ChangeFollowed($id: ID!, $paused: Boolean, $rule: ConflictRule) {
    result: changeFollowedProject(id: $id, paused: $paused, rule: $rule) {
      __typename ... on FollowedProject { state } ...Failure
    }
  }`,
  [FAILURE],
)

/** Pauses or resumes a followed project, or changes its rule. @throws DaybookClientError */
export const changeFollowed = async (
  id: string,
  to: { readonly paused?: boolean; readonly rule?: ConflictRule },
): Promise<void> => {
  await changeOnce(CHANGE, { id, ...to }, ({ result }) => succeeded(result))
}

const UNFOLLOW = graphql(
  `mutation Unfollow($id: ID!, $dropUnshared: Boolean!) {
    result: unfollowProject(id: $id, dropUnshared: $dropUnshared) {
      __typename ... on Unfollowed { id dropped } ...Failure
    }
  }`,
  [FAILURE],
)

/**
 * Ends following, and removes the copy.
 * @param dropUnshared also if something has not reached the home
 * @returns how much of that was lost
 * @throws DaybookClientError
 */
export async function unfollow(id: string, dropUnshared: boolean): Promise<number> {
  const { dropped } = await changeOnce(UNFOLLOW, { id, dropUnshared }, ({ result }) => succeeded(result))
  sessionChanged()
  return dropped
}

const PROMOTE = graphql(
  `mutation Promote($id: ID!, $url: String!, $lost: Boolean!) {
    result: promoteProject(id: $id, url: $url, lost: $lost) {
      __typename ... on Promoted { epoch former } ...Failure
    }
  }`,
  [FAILURE],
)

/**
 * Makes this Daybook the project's home.
 * @param url where the old home finds this Daybook
 * @param lost whether the old home cannot be asked
 * @throws DaybookClientError
 */
export const promote = (id: string, url: string, lost: boolean) =>
  changeOnce(PROMOTE, { id, url, lost }, ({ result }) => succeeded(result))

const CONFLICT = graphql(`fragment Conflict on SyncConflict {
  id command code problem baseVersion homeVersion actor givenAt foundAt resolution resolvedAt resolvedBy
  memory { id kind title version }
  preview { changed { field before after } text { change text } }
}`)

const OPEN = graphql(`query OpenConflicts { syncConflicts(first: 20) { ...Conflict } }`, [CONFLICT])

const ALL = graphql(
  `query AllConflicts($first: Int, $after: ID) {
    syncConflicts(first: $first, resolved: true, after: $after) { ...Conflict }
  }`,
  [CONFLICT],
)

/** A change made offline that its home refused, or that was about another version than the home had by then. */
export type Conflict = ResultOf<typeof OPEN>['syncConflicts'][number]

/** The first 20 conflicts of the project that wait for a person, the oldest first. @throws DaybookClientError */
export const listOpenConflicts = async (signal: AbortSignal): Promise<readonly Conflict[]> =>
  (await read(OPEN, {}, { signal })).syncConflicts

/** How many conflicts are listed at a time. */
export const CONFLICTS_PAGE = 50

/** A page of the project's conflicts, resolved or not, after another one. @throws DaybookClientError */
export const listConflictsAfter = async (after: string | null): Promise<readonly Conflict[]> =>
  (await read(ALL, { first: CONFLICTS_PAGE, after })).syncConflicts

const RESOLVE = graphql(
  `mutation ResolveConflict($id: ID!, $resolution: ConflictResolution!) {
    result: resolveSyncConflict(id: $id, resolution: $resolution) {
      __typename ... on SyncConflict { resolution } ...Failure
    }
  }`,
  [FAILURE],
)

/** Decides a conflict: the change is made after all, or left out. @throws DaybookClientError */
export async function resolveConflict(id: string, resolution: 'MINE' | 'THEIRS'): Promise<void> {
  await changeOnce(RESOLVE, { id, resolution }, ({ result }) => succeeded(result))
  refresh()
}
