import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { followNewProject, type SyncNode, startSyncNode, untilConnected } from './sync-node.ts'

const REMEMBER = `mutation ($key: String) {
  remember(input: { content: { note: { text: "sent twice" } }, idempotencyKey: $key }) {
    ... on Remembered { sequence memory { id } } } }`
const READ = `query ($id: ID!) { memory(id: $id) { id version shared } journal { sequence } }`

describe.each(SERVICE_DATABASES)('a request that reaches two Daybooks, on $name', ({ start }) => {
  let home: SyncNode
  let follower: SyncNode
  beforeAll(async () => {
    home = await startSyncNode(start)
    follower = await startSyncNode(start)
  })
  afterAll(async () => {
    await follower?.stop()
    await home?.stop()
  })

  it('gives out one id, although they cannot reach each other, and becomes one memory', async () => {
    const { atHome, atFollower } = await followNewProject(home, follower)
    home.reachable(false)
    const { remember: here } = await atFollower.data(REMEMBER, { key: 'twice' })
    const { remember: there } = await atHome.data(REMEMBER, { key: 'twice' })
    expect(here.memory.id).toBe(there.memory.id)
    const { remember: other } = await atHome.data(REMEMBER, { key: null })
    expect(other.memory.id).not.toBe(there.memory.id)
    home.reachable(true)
    await untilConnected(atFollower)
    for (const client of [atHome, atFollower])
      await expect
        .poll(() => client.data(READ, { id: here.memory.id }))
        .toEqual({
          memory: { id: here.memory.id, version: 1, shared: true },
          journal: [{ sequence: 1 }, { sequence: 2 }],
        })
  })
})
