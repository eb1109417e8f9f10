import { readChain } from '@daybook/journal/chain/read-chain'
import { verifyJournal } from '@daybook/journal/chain/verify-journal'
import { loseTail } from '@daybook/journal/testing/lose-tail'
import { UnavailableError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import { answersAtOnce } from '@daybook/postgres/connect'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { readFollowed } from '@daybook/sync/follower/followed-projects'
import { type HomeClient, homesAs } from '@daybook/sync/follower/home-client'
import { takeOver } from '@daybook/sync/follower/promote'
import { handOverAnswered } from '@daybook/sync/home/hand-over'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { follow, repoint, type SyncNode, standing, startSyncNode, untilConnected } from './sync-node.ts'

const REMEMBER = `mutation ($input: RememberInput!) { remember(input: $input) {
  __typename ... on Remembered { sequence duplicate memory { id version shared } } ... on DaybookError { code message } } }`
const REVISE = `mutation ($id: ID!, $text: String!) { revise(id: $id, input: { content: { note: { text: $text } } }) {
  __typename ... on Revised { memory { version shared } } ... on DaybookError { code message } } }`
const PROMOTE = `mutation ($id: ID!, $url: String!, $lost: Boolean) { promoteProject(id: $id, url: $url, lost: $lost) {
  __typename ... on Promoted { epoch former } ... on DaybookError { code message } } }`
const UNFOLLOW = `mutation ($id: ID!) { unfollowProject(id: $id) {
  __typename ... on Unfollowed { dropped } ... on DaybookError { code message } } }`
const GO_BACK = `mutation ($id: ID!) { changeFollowedProject(id: $id, paused: false, goBack: true) { __typename } }`
const TEXT = `query ($id: ID!) { memory(id: $id) { text version } }`

const note = (text: string, more: object = {}) => ({ input: { content: { note: { text } }, ...more } })

describe.each(SERVICE_DATABASES)('the home of a project, on $name', ({ start }) => {
  let nodes: SyncNode[]
  beforeAll(async () => {
    nodes = [await startSyncNode(start), await startSyncNode(start), await startSyncNode(start)]
  })
  afterAll(() => Promise.all((nodes ?? []).map((node) => node.stop())))

  const chainOf = (node: SyncNode, projectId: string) =>
    readChain(node.scopeOf(projectId), { after: 0, upTo: 1_000_000, limit: 10_000 })
  const all = () => nodes as [SyncNode, SyncNode, SyncNode]

  async function followed() {
    const [home, next] = all()
    const atHome = await home.running.newClient(true)
    const atNext = await follow(next, home, atHome)
    const { remember } = await atHome.data(REMEMBER, note('from the first home'))
    await untilConnected(atNext)
    await expect.poll(async () => (await standing(atNext)).copied).toBe(1)
    return { home, next, atHome, atNext, projectId: atHome.projectId, id: remember.memory.id as string }
  }

  it('is handed over with everything, and the old one follows', async () => {
    const { home, next, atHome, atNext, projectId } = await followed()
    const atThird = await follow(all()[2], home, atHome)
    await untilConnected(atThird)
    await atNext.data(REMEMBER, note('before the hand-over'))
    const { promoteProject } = await atNext.data(PROMOTE, { id: projectId, url: next.url })
    expect(promoteProject).toEqual({ __typename: 'Promoted', epoch: 2, former: home.url })
    const fromOld = await atHome.data(REMEMBER, note('written at the old home'))
    expect(fromOld.remember).toMatchObject({ __typename: 'Remembered' })
    const fromNew = await atNext.data(REMEMBER, note('written at the new home'))
    expect(fromNew.remember).toMatchObject({ memory: { shared: true } })
    await untilConnected(atHome)
    const chain = await chainOf(next, projectId)
    expect(chain.map(({ epoch }) => epoch)).toEqual([1, 1, 2, 2])
    await expect.poll(() => chainOf(home, projectId)).toEqual(chain)
    expect(await verifyJournal(next.scopeOf(projectId))).toMatchObject({ events: 4, problems: 0 })
    expect(await standing(atHome)).toMatchObject({ epoch: 2 })
    // Who follows the former home hears where the home is, and goes on by way of it.
    await expect.poll(() => standing(atThird)).toMatchObject({ state: 'MOVED', movedTo: next.url })
    const byWay = await atThird.data(REMEMBER, note('by way of the former home'))
    expect(byWay.remember).toMatchObject({ sequence: 5, memory: { shared: true } })
    await expect.poll(() => chainOf(all()[2], projectId)).toEqual(await chainOf(next, projectId))
    // And back again.
    const back = await atHome.data(PROMOTE, { id: projectId, url: home.url })
    expect(back.promoteProject).toMatchObject({ epoch: 3 })
  })

  it('is not handed over while something waits for it', async () => {
    const { home, next, atNext, projectId } = await followed()
    home.reachable(false)
    await atNext.data(REMEMBER, note('offline'))
    const refused = await atNext.data(PROMOTE, { id: projectId, url: next.url })
    const { keys } = await atNext.data('{ keys { name isValid projects { id } } }')
    const left = (keys as { name: string; isValid: boolean; projects: { id: string }[] }[]).filter(
      ({ name, isValid, projects }) =>
        isValid && name.startsWith('former') && projects.some(({ id }) => id === projectId),
    )
    expect(left).toEqual([])
    expect(refused.promoteProject).toMatchObject({
      code: 'REFUSED',
      message: expect.stringContaining('1 commands wait'),
    })
    home.reachable(true)
    await untilConnected(atNext)
  })

  it('can be lost: a follower takes over, and what only the lost one had becomes a branch there', async () => {
    const { home, next, atHome, atNext, projectId, id } = await followed()
    const third = all()[2]
    const atThird = await follow(third, home, atHome)
    await untilConnected(atThird)
    home.reachable(false)
    const key = newId()
    // Nobody but the old home has these.
    const { remember: only } = await atHome.data(
      REMEMBER,
      note('only the old home had it', { idempotencyKey: key }),
    )
    await atHome.data(REVISE, { id, text: 'changed at the old home' })
    // The follower writes offline, and takes over.
    const { remember: offline } = await atNext.data(REMEMBER, note('written before the promotion'))
    expect(offline).toMatchObject({ memory: { shared: false } })
    const { promoteProject } = await atNext.data(PROMOTE, { id: projectId, url: next.url, lost: true })
    expect(promoteProject).toMatchObject({ __typename: 'Promoted', epoch: 2 })
    expect((await atNext.data(REMEMBER, note('in the new epoch'))).remember).toMatchObject({
      memory: { shared: true },
    })
    await expect
      .poll(async () => (await atNext.data(TEXT, { id: offline.memory.id })).memory)
      .toMatchObject({ version: 1 })
    await repoint(third, next, { key: atNext.key, projectId })
    await untilConnected(atThird)

    // It comes back: it is told, follows, and sends what only it has.
    home.reachable(true)
    await expect
      .poll(() => standing(atHome).catch(() => null), { interval: 200 })
      .toMatchObject({ state: 'CONNECTED', waiting: 0, epoch: 2 })
    await untilConnected(atThird)
    const chain = await chainOf(next, projectId)
    for (const node of [home, third]) await expect.poll(() => chainOf(node, projectId)).toEqual(chain)
    // Their indexes may be behind their journals for a moment.
    await expect
      .poll(async () => (await atNext.data(TEXT, { id: only.memory.id })).memory?.text)
      .toContain('only the old home')
    await expect
      .poll(async () => (await atThird.data(TEXT, { id })).memory?.text)
      .toContain('changed at the old home')
    const again = await atNext.data(REMEMBER, note('only the old home had it', { idempotencyKey: key }))
    expect(again.remember).toMatchObject({ duplicate: true, memory: { id: only.memory.id } })
    for (const node of all())
      expect(await verifyJournal(node.scopeOf(projectId))).toMatchObject({ problems: 0 })
  })

  it('that lost the end of its journal gets it back from a follower, if a person allows that', async () => {
    const { home, atHome, atNext, projectId, id } = await followed()
    const { remember } = await atHome.data(REMEMBER, note('to be lost'))
    await atHome.data(REVISE, { id, text: 'changed, and lost' })
    await expect.poll(async () => (await standing(atNext)).copied).toBe(3)
    await loseTail(home.database, home.scopeOf(projectId), 1)
    expect(await chainOf(home, projectId)).toHaveLength(1)
    await expect.poll(() => standing(atNext)).toMatchObject({ state: 'PAUSED' })
    await atNext.data(GO_BACK, { id: projectId })
    await expect.poll(() => chainOf(home, projectId)).toHaveLength(3)
    await untilConnected(atNext)
    const textOf = async (of: string) => (await atHome.data(TEXT, { id: of })).memory?.text
    await expect.poll(() => textOf(remember.memory.id)).toContain('to be lost')
    await expect.poll(() => textOf(id)).toContain('changed, and lost')
    await expect.poll(() => chainOf(all()[1], projectId)).toEqual(await chainOf(home, projectId))
  })

  it('is handed over in the end if its answer is lost', async () => {
    const { home, next, atHome, atNext, projectId } = await followed()
    const scope = next.scopeOf(projectId)
    const { home: address, followerId } = (await readFollowed(scope)) ?? (undefined as never)
    const real = homesAs('a test')({ home: address, projectId, followerId })
    const answerLost: HomeClient = {
      ...real,
      ask: async (what, body, form) => {
        await real.ask(what, body, form)
        throw new UnavailableError('the answer was lost')
      },
    }
    const own = { url: next.url, key: atNext.key }
    await expect(takeOver(scope, answerLost, own)).rejects.toThrow('the answer was lost')
    // Nobody is the home for a moment: what is written waits.
    const meanwhile = await atNext.data(REMEMBER, note('written in between'))
    expect(meanwhile.remember).toMatchObject({ __typename: 'Remembered' })
    await expect.poll(() => readFollowed(scope)).toBeNull()
    await untilConnected(atHome)
    const chain = await chainOf(next, projectId)
    expect(chain.map(({ epoch }) => epoch)).toEqual([1, 2])
    await expect.poll(() => chainOf(home, projectId)).toEqual(chain)
  })

  it('is handed over once, though it is asked twice at a time', async () => {
    const { home, next, atHome, atNext, projectId } = await followed()
    const scope = next.scopeOf(projectId)
    const { home: address, followerId, copied } = (await readFollowed(scope)) ?? (undefined as never)
    const client = homesAs('a test')({ home: address, projectId, followerId })
    const own = { url: next.url, key: atNext.key }
    const askTwice = () =>
      [1, 2].map(() => client.ask('hand-over', { epoch: 2, ...own, at: copied }, handOverAnswered))
    // Both have looked before either goes on; the embedded database serves one after the other.
    const asked = answersAtOnce(home.database.db)
      ? await asOwner(home.database, async (trx) => {
          await sql`select from journal_heads where project_id = ${projectId} for update`.execute(trx)
          const both = askTwice()
          await vi.waitUntil(async () => {
            const { rows } = await sql<{ waiting: number }>`
              select count(distinct pid)::int as waiting from pg_locks join pg_stat_activity using (pid)
              where not granted and datname = current_database()`.execute(trx)
            return rows[0]?.waiting === 2
          })
          return both
        })
      : askTwice()
    expect(await Promise.all(asked)).toMatchObject([{ handedOver: true }, { handedOver: true }])
    expect(await takeOver(scope, client, own)).toMatchObject({ epoch: 2 })
    await untilConnected(atHome)
    await atNext.data(REMEMBER, note('at the new home'))
    await expect.poll(() => chainOf(home, projectId)).toEqual(await chainOf(next, projectId))
  })

  it('is followed again after its copy was removed', async () => {
    const { next, home, atHome, projectId } = await followed()
    const admin = await next.running.newClient(true)
    const { unfollowProject } = await admin.data(UNFOLLOW, { id: projectId })
    expect(unfollowProject).toMatchObject({ __typename: 'Unfollowed', dropped: 0 })
    // Nobody removes it here: the reindex service would.
    await asOwner(next.database, (trx) =>
      sql`
        with gone as (delete from events where project_id = ${projectId})
        update deleted_projects set finished_at = now() where project_id = ${projectId}`.execute(trx),
    )
    await untilConnected(await follow(next, home, atHome))
    await expect.poll(() => chainOf(next, projectId)).toEqual(await chainOf(home, projectId))
  })
})
