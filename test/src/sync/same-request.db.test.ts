import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { describe, expect, it } from 'vitest'
import { followNewProject, untilConnected, useSyncPair } from './sync-node.ts'

const REMEMBER = `mutation ($key: String) {
  remember(input: { content: { note: { text: "sent twice" } }, idempotencyKey: $key }) {
    ... on Remembered { sequence memory { id } } } }`
const READ = `query ($id: ID!) { memory(id: $id) { id version shared } journal { sequence } }`

describe.each(SERVICE_DATABASES)('a request that reaches two Daybooks, on $name', ({ start }) => {
  const pair = useSyncPair(start)

  it('gives out one id, although they cannot reach each other, and becomes one memory', async () => {
    const { atHome, atFollower } = await followNewProject(pair.home, pair.follower)
    pair.home.reachable(false)
    const { remember: here } = await atFollower.data(REMEMBER, { key: 'twice' })
    const { remember: there } = await atHome.data(REMEMBER, { key: 'twice' })
    expect(here.memory.id).toBe(there.memory.id)
    const { remember: other } = await atHome.data(REMEMBER, { key: null })
    expect(other.memory.id).not.toBe(there.memory.id)
    pair.home.reachable(true)
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
