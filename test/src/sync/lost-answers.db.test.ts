import { appendOne } from '@daybook/journal/append/journal-writer'
import { UnavailableError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { appendToBranch } from '@daybook/sync/branch/append-to-branch'
import { readBranch } from '@daybook/sync/branch/branch-commands'
import { listConflicts } from '@daybook/sync/branch/conflicts'
import { rebaseIfLeft } from '@daybook/sync/branch/rebase-branch'
import { sendBranch } from '@daybook/sync/branch/send-branch'
import { deleteFollowed, readFollowed, updateFollowed } from '@daybook/sync/follower/followed-projects'
import type { HomeClient } from '@daybook/sync/follower/home-client'
import { routeToHomes } from '@daybook/sync/follower/route-to-homes'
import { decideCommands } from '@daybook/sync/home/decide-commands'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { note, request, startTwo, type TwoDatabases } from './stepped-pair.ts'

/*
 * Faults that a random run (chaos/) or reading found, step by step: answers of the home that do not arrive, and workers that die
 * between two steps.
 */
describe.each(SERVICE_DATABASES)('when an answer of the home is lost, on $name', ({ start }) => {
  let two: TwoDatabases
  beforeAll(async () => {
    two = await startTwo(start)
  })
  afterAll(() => two.stop())

  it('a command that changed nothing there leaves the branch all the same', async () => {
    const { home, follower, writer, client, copy, hashes, loseNextAnswer } = await two.newPair()
    const id = newId()
    await appendOne(writer, home, request(note('known to both', id)))
    await copy()
    await appendToBranch(follower, [request({ type: 'forget', id })])
    await appendOne(writer, home, request({ type: 'forget', id }))
    loseNextAnswer()
    await expect(sendBranch(follower, client, 'LATEST_WINS')).rejects.toThrow('does not answer')
    await copy()
    // Another version than its writer saw: that is noted, and it is sent again.
    await sendBranch(follower, client, 'LATEST_WINS')
    loseNextAnswer()
    await expect(sendBranch(follower, client, 'LATEST_WINS')).rejects.toThrow('does not answer')
    const { withoutEvent } = await sendBranch(follower, client, 'LATEST_WINS')
    expect(withoutEvent).toBe(1)
    await rebaseIfLeft(follower)
    expect(await readBranch(follower.db, follower.projectId)).toEqual([])
    const [atHome, atFollower] = await hashes()
    expect(atFollower).toEqual(atHome)
  })

  it('a worker that died before it made the branch again does so when it is back', async () => {
    const { home, follower, writer, client, copy, hashes } = await two.newPair()
    const id = newId()
    await appendOne(writer, home, request(note('known to both', id)))
    await copy()
    await appendToBranch(follower, [
      request({ type: 'revise', id, input: { content: { kind: 'note', fields: { text: 'offline' } } } }),
    ])
    await appendOne(
      writer,
      home,
      request({ type: 'revise', id, input: { content: { kind: 'note', fields: { text: 'at home' } } } }),
    )
    await copy()
    // Refused: a conflict. Then the worker dies.
    await sendBranch(follower, client, 'ASK')
    expect(await readBranch(follower.db, follower.projectId)).toEqual([])
    await rebaseIfLeft(follower)
    const [atHome, atFollower] = await hashes()
    expect(atFollower).toEqual(atHome)
    expect(await rebaseIfLeft(follower)).toEqual([])
  })

  it('a request that waits in the branch, asked again, is neither refused nor taken twice', async () => {
    const { home, follower, writer, copy } = await two.newPair()
    const id = newId()
    await appendOne(writer, home, request(note('known to both', id)))
    await copy()
    const change = request({
      type: 'revise',
      id,
      input: { content: { kind: 'note', fields: { text: 'offline' } } },
    })
    await appendToBranch(follower, [change])
    await appendOne(writer, home, request({ type: 'forget', id }))
    await copy()
    const { outcomes } = await appendToBranch(follower, [change])
    expect(outcomes).toMatchObject([{ error: { code: 'UNAVAILABLE' } }])
    await appendOne(writer, home, request({ type: 'restore', id }))
    await copy()
    const { outcomes: later } = await appendToBranch(follower, [change])
    expect(later).toMatchObject([{ appended: { memory: { state: { id } } } }])
    expect(await readBranch(follower.db, follower.projectId)).toHaveLength(1)
  })

  it('a request that the home may have accepted is not refused on what is known here', async () => {
    const { home, follower, writer, client, copy, loseNextAnswer } = await two.newPair()
    const id = newId()
    await appendOne(writer, home, request(note('known to both', id)))
    await copy()
    await appendOne(writer, home, request({ type: 'forget', id }))
    await appendOne(writer, home, request({ type: 'restore', id }))
    const routed = routeToHomes(writer, { homeOf: () => client, onCommitted: () => {} })
    // Its writer has seen the newest version, elsewhere; the copy is behind.
    const change = request({
      type: 'revise',
      id,
      expectedVersion: 3,
      input: { content: { kind: 'note', fields: { text: 'changed' } } },
    })
    await updateFollowed(follower, { state: 'CONNECTED' })
    loseNextAnswer()
    await expect(appendOne(routed, follower, change)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await copy()
    expect(await appendOne(routed, follower, change)).toMatchObject({
      duplicate: true,
      memory: { version: 4 },
    })
    const { idempotencyKey: _, ...bare } = change
    await updateFollowed(follower, { state: 'CONNECTED' })
    loseNextAnswer()
    await expect(appendOne(routed, follower, bare)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  })

  it('a follower that took the home for lost finds it again, though nothing is new there', async () => {
    const { home, follower, writer, copy } = await two.newPair()
    await appendOne(writer, home, request(note('known to both')))
    await copy()
    await copy(() => updateFollowed(follower, { state: 'OFFLINE', problem: 'an answer took too long' }))
    expect(await readFollowed(follower)).toMatchObject({ state: 'CONNECTED', problem: null })
  })

  it('what the home refuses because it erased the memory is kept nowhere, whichever comes first', async () => {
    const { home, follower, writer, client, copy } = await two.newPair()
    const id = newId()
    await appendOne(writer, home, request(note('a secret', id)))
    await copy()
    await appendToBranch(follower, [
      request({
        type: 'revise',
        id,
        input: { content: { kind: 'note', fields: { text: 'the secret, offline' } } },
      }),
    ])
    await writer.erase(home, [id], { actor: 'tester', correlationId: null, causationId: null })
    const erasureComesFirst: HomeClient = {
      ...client,
      async decide(commands) {
        const decided = await client.decide(commands)
        await copy()
        return decided
      },
    }
    await sendBranch(follower, erasureComesFirst, 'ASK')
    expect(await readBranch(follower.db, follower.projectId)).toEqual([])
    expect(await listConflicts(follower, { resolved: true, limit: 10 })).toEqual([])
  })

  it('what another follower sent goes to the home or back, never into the branch of one in between', async () => {
    const { home, follower, writer, client, copy, loseNextAnswer } = await two.newPair()
    await appendOne(writer, home, request(note('known to both')))
    await copy()
    const between = routeToHomes(writer, { homeOf: () => client, onCommitted: () => {} })
    const sender = { keyId: newId(), keyName: 'another follower' }
    const { command, idempotencyKey: key } = request(note('from another follower'))
    const sent = { key, command, correlationId: null, causationId: null }
    loseNextAnswer()
    await expect(decideCommands(between, follower, sender, [sent])).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
    expect(await readBranch(follower.db, follower.projectId)).toEqual([])
    // Also while it takes the home for offline.
    await updateFollowed(follower, { state: 'OFFLINE' })
    expect(await decideCommands(between, follower, sender, [sent])).toMatchObject([
      { receipt: { duplicate: true, sequence: 2 } },
    ])
    await updateFollowed(follower, { takingEpoch: 2 })
    await expect(decideCommands(between, follower, sender, [sent])).rejects.toThrow('just moving')
  })

  it('a write that meets the promotion of its own Daybook is decided there, under the same key', async () => {
    const { home, follower, writer, client, copy } = await two.newPair()
    await appendOne(writer, home, request(note('known to both')))
    await copy()
    const lost: HomeClient = {
      ...client,
      async decide() {
        await deleteFollowed(follower.db, follower.projectId, 2)
        throw new UnavailableError('the home does not answer')
      },
    }
    const routed = routeToHomes(writer, { homeOf: () => lost, onCommitted: () => {} })
    const asked = request(note('in the new epoch'))
    await updateFollowed(follower, { state: 'CONNECTED' })
    expect(await appendOne(routed, follower, asked)).toMatchObject({ memory: { sequence: 2 } })
    expect(await appendOne(routed, follower, asked)).toMatchObject({ duplicate: true })
  })
})
