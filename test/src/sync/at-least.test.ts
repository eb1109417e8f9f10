import { TEST_DATABASES } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { followNewProject, type SyncNode, startSyncNode } from './sync-node.ts'

const REMEMBER = `mutation ($text: String!) { remember(input: { content: { note: { text: $text } } }) {
  ... on Remembered { sequence hash memory { id } } } }`
const READ = `query ($id: ID!, $atLeast: Int, $hash: String) { memory(id: $id, atLeast: $atLeast, atLeastHash: $hash) { id } }`
const PAUSE = `mutation ($id: ID!, $paused: Boolean) { changeFollowedProject(id: $id, paused: $paused) { __typename } }`

describe.each(TEST_DATABASES)(
  'a receipt of the home, on a follower that has not got so far, on $name',
  ({ start }) => {
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

    it('is waited for; a write that is on its way is not taken for a lost one', async () => {
      const { atHome, atFollower, projectId } = await followNewProject(home, follower)
      await atFollower.data(PAUSE, { id: projectId, paused: true })
      const { remember } = await atHome.data(REMEMBER, { text: 'on its way' })
      const asked = { id: remember.memory.id, atLeast: remember.sequence, hash: remember.hash }
      const { body: early } = await atFollower.send(READ, asked)
      expect(early.errors).toMatchObject([{ extensions: { code: 'BEHIND' } }])
      const waiting = atFollower.data(READ, asked)
      await atFollower.data(PAUSE, { id: projectId, paused: false })
      expect(await waiting).toEqual({ memory: { id: remember.memory.id } })
      // What no home has at a place that is copied is lost, as everywhere.
      const { body: other } = await atFollower.send(READ, { ...asked, hash: 'f'.repeat(64) })
      expect(other.errors).toMatchObject([{ extensions: { code: 'DIVERGED' } }])
    })
  },
)
