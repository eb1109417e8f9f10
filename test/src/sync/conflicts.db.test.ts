import type { TestClient } from '@daybook/gateway/testing/test-gateway'
import { readChain } from '@daybook/journal/chain/read-chain'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { describe, expect, it } from 'vitest'
import { follow, followNewProject, standing, untilConnected, useSyncPair } from './sync-node.ts'

const REMEMBER = `mutation ($input: RememberInput!) { remember(input: $input) {
  __typename ... on Remembered { sequence memory { id version shared } } ... on DaybookError { code message } } }`
const REVISE = `mutation ($id: ID!, $text: String!, $expectedVersion: Int) {
  revise(id: $id, input: { content: { note: { text: $text } } }, expectedVersion: $expectedVersion) {
  __typename ... on Revised { sequence memory { id version text shared } } ... on DaybookError { code message } } }`
const FORGET = `mutation ($id: ID!) { forget(id: $id) { __typename ... on DaybookError { code message } } }`
const ERASE = `mutation ($id: ID!) { erase(id: $id) { __typename ... on DaybookError { code message } } }`
const TEXTS = `query ($id: ID!) { memory(id: $id) { version text history(first: 20) { edges { node { version memory { text } } } } } }`
const CONFLICTS = `query ($resolved: Boolean) { syncConflicts(resolved: $resolved) {
  id code problem baseVersion homeVersion resolution resolvedBy command memory { id } } }`
const PROMOTE = `mutation ($id: ID!, $url: String!) { promoteProject(id: $id, url: $url, lost: true) {
  __typename ... on DaybookError { message } } }`
const RESOLVE = `mutation ($id: ID!, $resolution: ConflictResolution!) { resolveSyncConflict(id: $id, resolution: $resolution) {
  __typename ... on SyncConflict { resolution resolvedBy } ... on DaybookError { code message } } }`

const note = (text: string, more: object = {}) => ({ input: { content: { note: { text } }, ...more } })

describe.each(SERVICE_DATABASES)('what was changed at home and offline, on $name', ({ start }) => {
  const pair = useSyncPair(start)

  const sameChain = async (projectId: string) => {
    const all = { after: 0, upTo: 1_000_000, limit: 10_000 }
    expect(await readChain(pair.follower.scopeOf(projectId), all)).toEqual(
      await readChain(pair.home.scopeOf(projectId), all),
    )
  }
  const textsOf = async (client: TestClient, id: string): Promise<string[]> => {
    const { memory } = await client.data(TEXTS, { id })
    const edges = memory.history.edges as { node: { memory: { text: string } } }[]
    return edges.map(({ node }) => node.memory.text)
  }
  const conflictsOf = async (client: TestClient, resolved = false) =>
    (await client.data(CONFLICTS, { resolved })).syncConflicts as { id: string }[]

  /** A note of both, revised at home and offline. */
  async function revisedTwice(rule: 'LATEST_WINS' | 'ASK') {
    const atHome = await pair.home.running.newClient(true)
    const atFollower = await follow(pair.follower, pair.home, atHome, rule)
    const { remember } = await atHome.data(REMEMBER, note('as both know it'))
    const { id } = remember.memory
    await untilConnected(atFollower)
    await expect.poll(async () => (await atFollower.data(TEXTS, { id })).memory?.version).toBe(1)
    pair.home.reachable(false)
    const first = await atFollower.data(REVISE, { id, text: 'changed offline' })
    expect(first.revise).toMatchObject({ memory: { version: 2, shared: false } })
    await atFollower.data(REVISE, { id, text: 'changed offline again', expectedVersion: 2 })
    await atHome.data(REVISE, { id, text: 'changed at home' })
    pair.home.reachable(true)
    await untilConnected(atFollower)
    return { id, atHome, atFollower, projectId: atHome.projectId }
  }

  it('is in the history, the latest on top, and is listed', async () => {
    const { id, atHome, atFollower, projectId } = await revisedTwice('LATEST_WINS')
    await expect
      .poll(async () => (await atHome.data(TEXTS, { id })).memory)
      .toMatchObject({ version: 4, text: 'changed offline again' })
    expect((await textsOf(atHome, id)).toSorted()).toEqual(
      ['as both know it', 'changed at home', 'changed offline', 'changed offline again'].toSorted(),
    )
    expect(await conflictsOf(atFollower)).toEqual([])
    expect(await conflictsOf(atFollower, true)).toMatchObject([
      {
        code: 'VERSION_CONFLICT',
        baseVersion: 1,
        homeVersion: 2,
        resolution: 'LATEST_WINS',
        resolvedBy: null,
        memory: { id },
      },
    ])
    await sameChain(projectId)
  })

  it('waits for a person where the rule says so, with what rests on it', async () => {
    const { id, atHome, atFollower, projectId } = await revisedTwice('ASK')
    await expect
      .poll(async () => (await atHome.data(TEXTS, { id })).memory)
      .toMatchObject({ version: 2, text: 'changed at home' })
    await expect.poll(async () => (await atFollower.data(TEXTS, { id })).memory.text).toBe('changed at home')
    expect(await standing(atFollower)).toMatchObject({ openConflicts: 2, waiting: 0 })
    const [first, second] = await conflictsOf(atFollower)
    expect([first, second]).toMatchObject([
      { code: 'VERSION_CONFLICT', baseVersion: 1, homeVersion: 2, resolution: null },
      { code: 'VERSION_CONFLICT', problem: expect.stringContaining('rests on a change') },
    ])
    const theirs = await atFollower.data(RESOLVE, { id: first?.id, resolution: 'THEIRS' })
    expect(theirs.resolveSyncConflict).toMatchObject({ resolution: 'THEIRS' })
    const mine = await atFollower.data(RESOLVE, { id: second?.id, resolution: 'MINE' })
    expect(mine.resolveSyncConflict).toMatchObject({ resolution: 'MINE' })
    await untilConnected(atFollower)
    expect(await textsOf(atHome, id)).toContain('changed offline again')
    expect(await textsOf(atHome, id)).not.toContain('changed offline')
    expect(await conflictsOf(atFollower)).toEqual([])
    const again = await atFollower.data(RESOLVE, { id: first?.id, resolution: 'MINE' })
    expect(again.resolveSyncConflict).toMatchObject({ code: 'NOT_FOUND' })
    await sameChain(projectId)
  })

  it('is kept if the home forgot the memory', async () => {
    const { atHome, atFollower, projectId } = await followNewProject(pair.home, pair.follower)
    const { remember } = await atHome.data(REMEMBER, note('to be forgotten'))
    const { id } = remember.memory
    await untilConnected(atFollower)
    await expect.poll(async () => (await atFollower.data(TEXTS, { id })).memory?.version).toBe(1)
    pair.home.reachable(false)
    await atFollower.data(REVISE, { id, text: 'still thought of' })
    await atHome.data(FORGET, { id })
    pair.home.reachable(true)
    await expect.poll(() => conflictsOf(atFollower)).toMatchObject([{ code: 'FORGOTTEN', resolution: null }])
    await untilConnected(atFollower)
    await sameChain(projectId)
  })

  it('is nowhere any more if the home erased the memory', async () => {
    const { atHome, atFollower, projectId } = await followNewProject(pair.home, pair.follower)
    const { remember } = await atHome.data(REMEMBER, note('a secret'))
    const { id } = remember.memory
    await untilConnected(atFollower)
    await expect.poll(async () => (await atFollower.data(TEXTS, { id })).memory?.version).toBe(1)
    pair.home.reachable(false)
    await atFollower.data(REVISE, { id, text: 'the secret, changed offline' })
    const offline = await atFollower.data(ERASE, { id }).catch((error: Error) => error.message)
    expect(JSON.stringify(offline)).toContain('the home of the project has to do it')
    await atHome.data(ERASE, { id })
    pair.home.reachable(true)
    await untilConnected(atFollower)
    await expect.poll(async () => (await atFollower.data(TEXTS, { id })).memory).toBeNull()
    expect(await conflictsOf(atFollower, true)).toEqual([])
    await sameChain(projectId)
    const { db } = pair.follower.scopeOf(projectId)
    const events = await db.selectFrom('events').select('data').where('project_id', '=', projectId).execute()
    expect(JSON.stringify(events)).not.toContain('secret')
  })

  it('reaches the home from a follower that erases', async () => {
    const { atHome, atFollower, projectId } = await followNewProject(pair.home, pair.follower)
    const { remember } = await atFollower.data(REMEMBER, note('a slip of the tongue'))
    const { id } = remember.memory
    expect((await atFollower.data(ERASE, { id })).erase).toMatchObject({ __typename: 'Erased' })
    await expect.poll(async () => (await atHome.data(TEXTS, { id })).memory).toBeNull()
    await expect.poll(async () => (await atFollower.data(TEXTS, { id })).memory).toBeNull()
    await sameChain(projectId)
  })

  it('can still be decided after the follower has become the home', async () => {
    const { id, atFollower, projectId } = await revisedTwice('ASK')
    pair.home.reachable(false)
    const promoted = await atFollower.data(PROMOTE, { id: projectId, url: pair.follower.url })
    expect(promoted.promoteProject).toMatchObject({ __typename: 'Promoted' })
    pair.home.reachable(true)
    const [first, second] = await conflictsOf(atFollower)
    await atFollower.data(RESOLVE, { id: first?.id, resolution: 'THEIRS' })
    const mine = await atFollower.data(RESOLVE, { id: second?.id, resolution: 'MINE' })
    expect(mine.resolveSyncConflict).toMatchObject({ resolution: 'MINE' })
    await expect
      .poll(async () => (await atFollower.data(TEXTS, { id })).memory.text)
      .toBe('changed offline again')
    expect(await conflictsOf(atFollower)).toEqual([])
  })
})
