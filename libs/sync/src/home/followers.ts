import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'

/** A Daybook that follows a project of this one. */
export interface Follower {
  readonly projectId: string
  readonly followerId: string
  /** The id of its key. */
  readonly keyId: string
  /** As it calls itself, such as its machine's name. Nothing proves it. */
  readonly name: string
  /** How far its journal may be: what was sent to it. */
  readonly sequence: number
  readonly seenAt: string
}

/** Notes that a follower is there, and how far it may be. */
export async function noteFollower(
  { db, projectId }: ProjectScope,
  { followerId, keyId, name, sequence }: Omit<Follower, 'projectId' | 'seenAt'>,
): Promise<void> {
  const seen = { key_id: keyId, name, sequence, seen_at: sql<string>`clock_timestamp()` }
  await db
    .insertInto('followers')
    .values({ project_id: projectId, follower_id: followerId, ...seen })
    .onConflict((conflict) => conflict.columns(['project_id', 'follower_id']).doUpdateSet(seen))
    .execute()
}

/** Who follows a project, the last seen first. */
export async function listFollowers({ db, projectId }: ProjectScope): Promise<Follower[]> {
  const rows = await db
    .selectFrom('followers')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('seen_at', 'desc')
    .limit(1_000)
    .execute()
  return rows.map((row) => ({
    projectId: row.project_id,
    followerId: row.follower_id,
    keyId: row.key_id,
    name: row.name,
    sequence: row.sequence,
    seenAt: row.seen_at,
  }))
}
