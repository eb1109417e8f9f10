import { readAtLeast } from '@daybook/gateway/find-memories'
import { appendOne } from '@daybook/journal/append/journal-writer'
import { verifyJournal } from '@daybook/journal/chain/verify-journal'
import { readHead } from '@daybook/journal/read/read'
import { placeAt } from '@daybook/journal/testing/place-at'
import { newId } from '@daybook/memory/id'
import { type LiveReadModel, liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { createPositionSignal, setPosition } from '@daybook/projection/positions/positions'
import { appendToBranch } from '@daybook/sync/branch/append-to-branch'
import { describe, expect, it } from 'vitest'
import { note, request, startTwo } from './stepped-pair.ts'
import { followNewProject, untilConnected, useSyncPair } from './sync-node.ts'

const REMEMBER = `mutation ($text: String!) { remember(input: { content: { note: { text: $text } } }) {
  ... on Remembered { sequence hash memory { id } } } }`
const READ = `query ($id: ID!, $atLeast: Int, $hash: String) { memory(id: $id, atLeast: $atLeast, atLeastHash: $hash) { id } }`
const PAUSE = `mutation ($id: ID!, $paused: Boolean) { changeFollowedProject(id: $id, paused: $paused) { __typename } }`

describe.each(SERVICE_DATABASES)(
  'a receipt of the home, on a follower that has not got so far, on $name',
  ({ start }) => {
    const pair = useSyncPair(start)

    it('is waited for; a write that is on its way is not taken for a lost one', async () => {
      const { atHome, atFollower, projectId } = await followNewProject(pair.home, pair.follower)
      await atFollower.data(PAUSE, { id: projectId, paused: true })
      const { remember } = await atHome.data(REMEMBER, { text: 'on its way' })
      const asked = { id: remember.memory.id, atLeast: remember.sequence, hash: remember.hash }
      pair.follower.running.waitAtMost(50)
      const { body: early } = await atFollower.send(READ, asked)
      expect(early.errors).toMatchObject([{ extensions: { code: 'BEHIND' } }])
      pair.follower.running.waitAtMost()
      const waiting = atFollower.data(READ, asked)
      await atFollower.data(PAUSE, { id: projectId, paused: false })
      expect(await waiting).toEqual({ memory: { id: remember.memory.id } })
      // What no home has at a place that is copied is lost, as everywhere.
      const { body: other } = await atFollower.send(READ, { ...asked, hash: 'f'.repeat(64) })
      expect(other.errors).toMatchObject([{ extensions: { code: 'DIVERGED' } }])
    })

    it('is not taken for shown by an index that has the branch in its place', async () => {
      const { atHome, atFollower, projectId } = await followNewProject(pair.home, pair.follower)
      pair.home.reachable(false)
      for (const text of ['branch 1', 'branch 2', 'branch 3']) await atFollower.data(REMEMBER, { text })
      const last = (await atFollower.data(REMEMBER, { text: 'branch 4' })).remember
      await atFollower.data(READ, { id: last.memory.id, atLeast: last.sequence, hash: last.hash })
      await pair.follower.running.stopProjector()
      const { remember: first } = await atHome.data(REMEMBER, { text: 'meanwhile at home' })
      pair.home.reachable(true)
      await untilConnected(atFollower)
      const asked = { id: first.memory.id, atLeast: first.sequence, hash: first.hash }
      pair.follower.running.waitAtMost(50)
      const { body } = await atFollower.send(READ, asked)
      expect(body.errors).toMatchObject([
        { message: expect.stringContaining('goes back'), extensions: { code: 'BEHIND' } },
      ])
      pair.follower.running.waitAtMost()
      // Nor for the witness of a journal that lost its end.
      expect(await verifyJournal(pair.follower.scopeOf(projectId))).toMatchObject({ problems: 0 })
      await pair.follower.running.startProjector()
      expect(await atFollower.data(READ, asked)).toEqual({ memory: { id: first.memory.id } })
    })

    it('holds for what is read if the branch is made again between the wait and the read', async () => {
      const { atHome, atFollower, projectId } = await followNewProject(pair.home, pair.follower)
      pair.home.reachable(false)
      const { remember } = await atFollower.data(REMEMBER, { text: 'in the branch' })
      const context = {
        project: pair.follower.scopeOf(projectId),
        readModel: () => liveReadModel(pair.follower.database.db),
        parts: { signal: createPositionSignal(), waitMs: () => 240_000 },
      }
      const shown: boolean[] = []
      const { sequence: atLeast, hash: atLeastHash } = remember
      await readAtLeast(context, { atLeast, atLeastHash }, async (behind) => {
        expect(behind).toBeNull()
        if (shown.length === 0) {
          await pair.follower.running.stopProjector()
          await atHome.data(REMEMBER, { text: 'meanwhile' })
          pair.home.reachable(true)
          await untilConnected(atFollower)
          await pair.follower.running.startProjector()
        }
        const { memory } = await atFollower.data(READ, { id: remember.memory.id })
        shown.push(memory !== null)
      })
      expect(shown).toHaveLength(2)
      expect(shown[1]).toBe(true)
    })

    it('is followed to where it stands now, however often it moves on', async () => {
      const two = await startTwo(start)
      try {
        const { home: at, follower: copy, writer, copy: copyAll } = await two.newPair()
        const writeAtHome = async (times: number) => {
          for (let done = 0; done < times; done += 1)
            await appendOne(writer, at, request(note(`home ${newId()}`)))
          await copyAll()
        }
        const ref = { name: 'pgvector', generation: 1 }
        const index = async (sequence: number) => {
          const place = await placeAt(copy, sequence)
          await copy.db.transaction().execute((trx) => setPosition(trx, ref, copy.projectId, place))
        }
        await writeAtHome(1)
        const { events } = await appendToBranch(copy, [request(note('in the branch'))])
        const receipt = { atLeast: 2, atLeastHash: events[0]?.hash ?? null }
        await writeAtHome(2)
        await index(3)
        const steps = [
          async () => {
            await writeAtHome(3)
            await index(5)
          },
          () => index(7),
        ]
        const context = {
          project: copy,
          readModel: async () => {
            await steps.shift()?.()
            return { generation: { generation: 1 } } as LiveReadModel
          },
          parts: { signal: createPositionSignal(), waitMs: () => 240_000 },
        }
        const at7 = await readAtLeast(context, receipt, async (behind) => [
          behind,
          steps.length,
          await readHead(copy),
        ])
        expect(at7).toEqual([null, 0, 7])
      } finally {
        await two.stop()
      }
    })
  },
)
