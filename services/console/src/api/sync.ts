import { graphql, type InputOf, type ResultOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { refresh } from '../components/hooks.ts'
import { changeOnce, read } from './client.ts'
import { sessionChanged } from './session.ts'

const FOLLOWED = queries.followedProjects(`
  project { id name } homeUrl state problem rule epoch copied homeSequence lagEvents lagSeconds waiting waitingSince
  openConflicts movedTo followedSince`)

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

const FOLLOW = mutations.followProject('again tookOver followed { homeUrl project { id name } }')

/** What is to be followed. */
export interface WantedProject {
  readonly url: string
  readonly key: string
  readonly project: string
  readonly rule: ConflictRule
}

/** Follows a project of another Daybook. @throws DaybookClientError */
export async function followProject(wanted: WantedProject) {
  const following = await changeOnce(FOLLOW, { ...wanted })
  sessionChanged()
  return following
}

const REPOINT = mutations.repointProject('homeUrl project { name }')

/** Gives a followed project another address or key of its home, or another home. @throws DaybookClientError */
export const repointProject = (wanted: { readonly id: string; readonly url: string; readonly key: string }) =>
  changeOnce(REPOINT, { ...wanted })

const CHANGE = mutations.changeFollowedProject('state')

/** Pauses or resumes a followed project, or changes its rule. @throws DaybookClientError */
export const changeFollowed = async (
  id: string,
  to: { readonly paused?: boolean; readonly rule?: ConflictRule },
): Promise<void> => {
  await changeOnce(CHANGE, { id, ...to })
}

const UNFOLLOW = mutations.unfollowProject('id dropped')

/**
 * Ends following, and removes the copy.
 * @param dropUnshared also if something has not reached the home
 * @returns how much of that was lost
 * @throws DaybookClientError
 */
export async function unfollow(id: string, dropUnshared: boolean): Promise<number> {
  const { dropped } = await changeOnce(UNFOLLOW, { id, dropUnshared })
  sessionChanged()
  return dropped
}

const PROMOTE = mutations.promoteProject('epoch former')

/**
 * Makes this Daybook the project's home.
 * @param url where the old home finds this Daybook
 * @param lost whether the old home cannot be asked
 * @throws DaybookClientError
 */
export const promote = (id: string, url: string, lost: boolean) => changeOnce(PROMOTE, { id, url, lost })

const CONFLICT = graphql(`fragment Conflict on SyncConflict {
  id command code problem baseVersion homeVersion actor givenAt foundAt resolution resolvedAt resolvedBy
  memory { id kind title version }
  preview { changed { field before after } text { change text } }
}`)

const CONFLICTS = queries.syncConflicts('...Conflict', [CONFLICT])

/** A change made offline that its home refused, or that was about another version than the home had by then. */
export type Conflict = ResultOf<typeof CONFLICTS>['syncConflicts'][number]

/** The first 20 conflicts of the project that wait for a person, the oldest first. @throws DaybookClientError */
export const listOpenConflicts = async (signal: AbortSignal): Promise<readonly Conflict[]> =>
  (await read(CONFLICTS, { first: 20 }, { signal })).syncConflicts

/** How many conflicts are listed at a time. */
export const CONFLICTS_PAGE = 50

/** A page of the project's conflicts, resolved or not, after another one. @throws DaybookClientError */
export const listConflictsAfter = async (after: string | null): Promise<readonly Conflict[]> =>
  (await read(CONFLICTS, { first: CONFLICTS_PAGE, resolved: true, after })).syncConflicts

const RESOLVE = mutations.resolveSyncConflict('resolution')

/** Decides a conflict: the change is made after all, or left out. @throws DaybookClientError */
export async function resolveConflict(id: string, resolution: 'MINE' | 'THEIRS'): Promise<void> {
  await changeOnce(RESOLVE, { id, resolution })
  refresh()
}
