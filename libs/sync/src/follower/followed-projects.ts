import type { JournalCursor } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import type { Database, Queryable } from '@daybook/postgres/connect'
import type { Tables } from '@daybook/postgres/tables'
import { type Selectable, sql } from 'kysely'

/** How conflicts of a branch are resolved: the latest wins, with both in the history, or a person decides. */
export type ConflictRule = 'LATEST_WINS' | 'ASK'

/**
 * Where a followed project stands: it is being copied for the first time or after a while (`COPYING`), is up to date
 * (`CONNECTED`), its home does not answer (`OFFLINE`), or refuses this follower (`REFUSED`).
 */
export type FollowState = 'COPYING' | 'CONNECTED' | 'OFFLINE' | 'REFUSED'

/** A project whose home is another Daybook. */
export interface Followed {
  readonly projectId: string
  readonly home: HomeAddress
  /** Names this follower at its home. */
  readonly followerId: string
  readonly followedSince: string
  readonly paused: boolean
  /** Whether it may go back below what is confirmed, once. */
  readonly mayGoBack: boolean
  readonly rule: ConflictRule
  readonly state: FollowState
  /** Why it is not connected, as a sentence. */
  readonly problem: string | null
  /** The last of the home's events that is here. What is after it in the journal is the branch's. */
  readonly copied: JournalCursor
  /** How far the home was when it was last heard. */
  readonly homeSequence: number
  /** When everything was here last. */
  readonly caughtUpAt: string | null
  /** Where its home is, if what is followed has become a follower itself and passes everything on. */
  readonly movedTo: string | null
  /** The epoch that begins here, while the home hands the project over. */
  readonly takingEpoch: number | null
  /** Where the old home finds this Daybook then, and with which key; null if it is not being handed over. */
  readonly own: HomeAddress | null
}

/** Where a home is, and what opens the project there. */
export interface HomeAddress {
  /** Without a slash at its end. */
  readonly url: string
  /** Secret. */
  readonly key: string
}

type Row = Selectable<Tables['followed_projects']>

const toFollowed = (row: Row): Followed => ({
  projectId: row.project_id,
  home: { url: row.home_url, key: row.home_key },
  followerId: row.follower_id,
  followedSince: row.followed_since,
  paused: row.paused,
  mayGoBack: row.may_go_back,
  rule: row.rule,
  state: row.state,
  problem: row.problem,
  copied: { sequence: row.copied, hash: row.copied_hash.toString('hex') },
  homeSequence: row.home_sequence,
  caughtUpAt: row.caught_up_at,
  movedTo: row.moved_to,
  takingEpoch: row.taking_epoch,
  own: row.own_url === null || row.own_key === null ? null : { url: row.own_url, key: row.own_key },
})

/** How the project is followed; null if this Daybook is its home. */
export async function readFollowed({
  db,
  projectId,
}: {
  readonly db: Queryable
  readonly projectId: string
}): Promise<Followed | null> {
  const row = await db
    .selectFrom('followed_projects')
    .selectAll()
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row === undefined ? null : toFollowed(row)
}

/** All projects that are followed. @param db bound to no project */
export async function listFollowed(db: Database): Promise<Followed[]> {
  const rows = await db.selectFrom('followed_projects').selectAll().orderBy('followed_since').execute()
  return rows.map(toFollowed)
}

/**
 * Begins to follow: from now on only the home's events are added to the journal, which must be empty or a beginning of the
 * home's.
 * @param copied the journal's end
 * @param mayGoBack whether the home need not have all of it
 */
export async function insertFollowed(
  db: Queryable,
  projectId: string,
  home: HomeAddress,
  {
    copied,
    rule,
    mayGoBack = false,
  }: { readonly copied: JournalCursor; readonly rule: ConflictRule; readonly mayGoBack?: boolean },
): Promise<void> {
  await db
    .insertInto('followed_projects')
    .values({
      project_id: projectId,
      home_url: home.url,
      home_key: home.key,
      follower_id: newId(),
      rule,
      may_go_back: mayGoBack,
      copied: copied.sequence,
      copied_hash: Buffer.from(copied.hash, 'hex'),
    })
    .execute()
  await db.updateTable('journal_heads').set({ followed: true }).where('project_id', '=', projectId).execute()
}

/** What may be set of a followed project. */
export type FollowedChange = Partial<
  Pick<
    Followed,
    'paused' | 'mayGoBack' | 'rule' | 'state' | 'problem' | 'movedTo' | 'takingEpoch' | 'own' | 'home'
  >
>

/** Changes how a project is followed. */
export async function updateFollowed(
  { db, projectId }: { readonly db: Queryable; readonly projectId: string },
  { paused, mayGoBack, rule, state, problem, movedTo, takingEpoch, own, home }: FollowedChange,
): Promise<void> {
  await db
    .updateTable('followed_projects')
    .set({
      ...(paused !== undefined && { paused }),
      ...(mayGoBack !== undefined && { may_go_back: mayGoBack }),
      ...(rule !== undefined && { rule }),
      ...(state !== undefined && { state }),
      // Until now everything was here.
      ...(state !== undefined &&
        state !== 'CONNECTED' && {
          caught_up_at: sql<string>`case when state = 'CONNECTED' then clock_timestamp() else caught_up_at end`,
        }),
      ...(problem !== undefined && { problem }),
      ...(movedTo !== undefined && { moved_to: movedTo }),
      ...(takingEpoch !== undefined && { taking_epoch: takingEpoch }),
      ...(own !== undefined && { own_url: own?.url ?? null, own_key: own?.key ?? null }),
      ...(home !== undefined && { home_url: home.url, home_key: home.key }),
    })
    .where('project_id', '=', projectId)
    .execute()
}

/**
 * Notes that the home was heard. Others may have noted meanwhile that it does not answer, so the row is looked at and not
 * what the caller noted last; it is written only if it says something else.
 */
export async function noteHeard(
  { db, projectId }: { readonly db: Queryable; readonly projectId: string },
  { state, homeSequence }: { readonly state: 'COPYING' | 'CONNECTED'; readonly homeSequence: number },
): Promise<void> {
  await db
    .updateTable('followed_projects')
    .set({
      state,
      problem: null,
      home_sequence: homeSequence,
      // Consent is for what is missing now.
      ...(state === 'CONNECTED' && { caught_up_at: sql<string>`clock_timestamp()`, may_go_back: false }),
    })
    .where('project_id', '=', projectId)
    .where((either) => either.or([either('state', '<>', state), either('home_sequence', '<>', homeSequence)]))
    .execute()
}

/** Ends following: the project is this Daybook's own from now on, in the given epoch if that is a later one. */
export async function deleteFollowed(db: Queryable, projectId: string, epoch = 1): Promise<void> {
  await db.deleteFrom('followed_projects').where('project_id', '=', projectId).execute()
  await db
    .updateTable('journal_heads')
    .set({ followed: false, epoch: sql<number>`greatest(epoch, ${epoch})` })
    .where('project_id', '=', projectId)
    .execute()
}

/** A home that was lost when its project was promoted here, and has not been told yet. */
export interface FormerHome {
  readonly projectId: string
  readonly url: string
  /** What the last try came to, as a sentence; null before the first. */
  readonly problem: string | null
}

/** All of them. @param db bound to no project */
export async function listFormerHomes(db: Database): Promise<FormerHome[]> {
  const rows = await db.selectFrom('former_homes').select(['project_id', 'url', 'problem']).execute()
  return rows.map(({ project_id: projectId, url, problem }) => ({ projectId, url, problem }))
}
