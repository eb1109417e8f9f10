import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { readSyncReadings } from '@daybook/sync/follower/readings'
import { describe, expect, it } from 'vitest'
import {
  followNewProject,
  repoint,
  type SyncNode,
  standing,
  untilConnected,
  useSyncPair,
} from './sync-node.ts'

const REMEMBER = `mutation ($input: RememberInput!) { remember(input: $input) { __typename } }`
const CHANGE = `mutation ($id: ID!, $paused: Boolean) { changeFollowedProject(id: $id, paused: $paused) { __typename } }`
const PROMOTE = `mutation ($id: ID!, $url: String!) { promoteProject(id: $id, url: $url, lost: true) {
  __typename ... on DaybookError { message } } }`
const CHECKS = '{ checks { name status message advice } }'
const note = (text: string) => ({ input: { content: { note: { text } } } })

describe.each(SERVICE_DATABASES)('what operators see of sync, on $name', ({ start }) => {
  const pair = useSyncPair(start)

  const readingsOf = async (node: SyncNode, ofProjects = true) =>
    Object.fromEntries(
      (await readSyncReadings(node.database.db, ofProjects)).map(({ name, value }) => [name, value]),
    )
  const checkOf = async (client: Awaited<ReturnType<SyncNode['clientOf']>>) => {
    const { checks } = await client.data(CHECKS)
    return (checks as { name: string; status: string; message: string; advice: string }[]).find(
      ({ name }) => name === 'sync',
    )
  }

  it('nothing, where nobody follows anything', async () => {
    expect(await readingsOf(pair.follower)).toEqual({})
    expect(await checkOf(await pair.follower.running.newClient(true))).toBeUndefined()
  })

  it('how each followed project stands, and who follows', async () => {
    const { atFollower, projectId } = await followNewProject(pair.home, pair.follower)
    expect(await readingsOf(pair.follower)).toEqual({
      daybook_sync_disconnected: new Map([[projectId, 0]]),
      daybook_sync_lag_events: new Map([[projectId, 0]]),
      daybook_sync_lag_seconds: new Map([[projectId, 0]]),
      daybook_sync_waiting_commands: new Map([[projectId, 0]]),
      daybook_sync_open_conflicts: new Map([[projectId, 0]]),
    })
    await expect
      .poll(() => readingsOf(pair.home))
      .toEqual({ daybook_sync_followers: new Map([[projectId, 1]]) })
    expect(await checkOf(atFollower)).toMatchObject({
      status: 'OK',
      message: '1 project is followed and stands well',
    })

    await atFollower.data(CHANGE, { id: projectId, paused: true })
    await atFollower.data(REMEMBER, note('written in a pause'))
    expect(await readingsOf(pair.follower, false)).toMatchObject({
      daybook_sync_disconnected: 0,
      daybook_sync_waiting_commands: 1,
      daybook_sync_lag_seconds: expect.any(Number),
    })
    await atFollower.data(CHANGE, { id: projectId, paused: false })
    await untilConnected(atFollower)
  })

  it('that a home refuses, with what it says and what to do, while the gateway stays ready', async () => {
    const { atHome, atFollower, projectId } = await followNewProject(pair.home, pair.follower)
    const { keys } = await atHome.data('{ keys { id isOwn } }')
    const own = (keys as { id: string; isOwn: boolean }[]).find(({ isOwn }) => isOwn)
    await atHome.data('mutation ($id: ID!) { revokeKey(id: $id) { __typename } }', { id: own?.id })
    await expect.poll(() => standing(atFollower)).toMatchObject({ state: 'REFUSED' })
    expect(await checkOf(atFollower)).toMatchObject({
      status: 'FAILED',
      message: expect.stringContaining('revoked'),
      advice: expect.stringContaining(`daybook sync repoint ${pair.home.url} --project`),
    })
    expect(await readingsOf(pair.follower, false)).toMatchObject({ daybook_sync_disconnected: 1 })
    expect((await fetch(`${pair.follower.running.gateway.url}/ready`)).status).toBe(200)
    const another = await pair.home.clientOf(projectId)
    await repoint(pair.follower, pair.home, another)
    await untilConnected(atFollower)
    expect(await checkOf(atFollower)).toMatchObject({ status: 'OK' })
  })

  it('that a lost home does not know yet that it is none any more', async () => {
    const { atFollower, projectId } = await followNewProject(pair.home, pair.follower)
    pair.home.reachable(false)
    try {
      const { promoteProject } = await atFollower.data(PROMOTE, { id: projectId, url: pair.follower.url })
      expect(promoteProject).toMatchObject({ __typename: 'Promoted' })
      expect(await checkOf(atFollower)).toMatchObject({
        status: 'WARNING',
        message: expect.stringContaining(`${pair.home.url} does not know yet`),
      })
    } finally {
      pair.home.reachable(true)
    }
    await expect.poll(async () => (await checkOf(atFollower))?.message).not.toContain(pair.home.url)
  })
})
