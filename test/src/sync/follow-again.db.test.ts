import { createApiKey } from '@daybook/postgres/access/api-keys'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { updateFollowed } from '@daybook/sync/follower/followed-projects'
import { describe, expect, it } from 'vitest'
import {
  follow,
  followNewProject,
  repoint,
  type SyncNode,
  standing,
  untilConnected,
  useSyncPair,
} from './sync-node.ts'

const RULES = '{ followedProjects { project { id } rule } }'

describe.each(SERVICE_DATABASES)('how a followed project stands, on $name', ({ start }) => {
  const pair = useSyncPair(start)

  const ruleOf = async ({ data, projectId }: Awaited<ReturnType<SyncNode['clientOf']>>) => {
    const { followedProjects } = await data(RULES)
    const all = followedProjects as { project: { id: string }; rule: string }[]
    return all.find(({ project }) => project.id === projectId)?.rule
  }

  it('is connected again at the next word of the home, if only an answer to a write was missing', async () => {
    const { atFollower, projectId } = await followNewProject(pair.home, pair.follower)
    await updateFollowed(pair.follower.scopeOf(projectId), { state: 'OFFLINE', problem: 'no answer in time' })
    await untilConnected(atFollower)
    expect(await standing(atFollower)).toMatchObject({ problem: null })
  })

  it('stays connected, with its rule, if it is followed again as it is', async () => {
    const { atHome, atFollower } = await followNewProject(pair.home, pair.follower)
    await follow(pair.follower, pair.home, atHome, 'ASK')
    expect(await standing(atFollower)).toMatchObject({ state: 'CONNECTED' })
    await follow(pair.follower, pair.home, atHome, null)
    expect(await ruleOf(atFollower)).toBe('ASK')
  })

  it('goes on with another key as soon as that is given', async () => {
    const { atHome, atFollower, projectId } = await followNewProject(pair.home, pair.follower)
    const key = await asOwner(pair.home.database, (owner) =>
      createApiKey(owner, projectId, 'another', { admin: true }),
    )
    const keysOf = async () =>
      ((await atHome.data('{ followers { keyId } }'))['followers'] as { keyId: string }[]).map(
        ({ keyId }) => keyId,
      )
    const [before] = await keysOf()
    await repoint(pair.follower, pair.home, { key, projectId })
    await expect.poll(keysOf, { interval: 100 }).not.toEqual([before])
    await untilConnected(atFollower)
  })

  it('says since when something may be missing: from when the home was lost', async () => {
    const { atFollower, projectId } = await followNewProject(pair.home, pair.follower)
    await pair.follower.database.db
      .updateTable('followed_projects')
      .set({ caught_up_at: new Date(Date.now() - 3_600_000).toISOString() })
      .where('project_id', '=', projectId)
      .execute()
    await updateFollowed(pair.follower.scopeOf(projectId), { state: 'OFFLINE', paused: true })
    const { followedProjects } = await atFollower.data('{ followedProjects { project { id } lagSeconds } }')
    const found = (followedProjects as { project: { id: string }; lagSeconds: number }[]).find(
      ({ project }) => project.id === projectId,
    )
    expect(found?.lagSeconds).toBeLessThan(3_000)
  })
})
