import { readChain } from '@daybook/journal/chain/read-chain'
import { verifyJournal } from '@daybook/journal/chain/verify-journal'
import { newId } from '@daybook/memory/id'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  follow,
  followNewProject,
  type SyncNode,
  standing,
  startSyncNode,
  untilConnected,
  useSyncPair,
} from './sync-node.ts'

const REMEMBER = `mutation ($input: RememberInput!) { remember(input: $input) {
  __typename ... on Remembered { sequence hash duplicate memory { id version shared } } ... on DaybookError { code message } } }`
const REVISE = `mutation ($id: ID!, $input: ReviseInput!, $expectedVersion: Int, $key: String) {
  revise(id: $id, input: $input, expectedVersion: $expectedVersion, idempotencyKey: $key) {
  __typename ... on Revised { sequence memory { id version text shared } } ... on DaybookError { code message } } }`
const SEARCH = `query ($query: String!, $atLeast: Int) { search(query: $query, atLeast: $atLeast) { hits { memory { id text shared } } } }`
const OWN = `query ($id: ID!, $atLeast: Int, $hash: String) { memory(id: $id, atLeast: $atLeast, atLeastHash: $hash) { id shared } }`
const MEMORY = `query ($id: ID!) { memory(id: $id) { text version shared history(first: 20) { edges { node { version } } } } }`

const note = (text: string, more: object = {}) => ({ input: { content: { note: { text: text } }, ...more } })

describe.each(SERVICE_DATABASES)('a project that follows a home, on $name', ({ start }) => {
  const pair = useSyncPair(start)

  const chainOf = (node: SyncNode, projectId: string) =>
    readChain(node.scopeOf(projectId), { after: 0, upTo: 1_000_000, limit: 10_000 })

  it('has the same journal, to the last hash, and finds what was written at its home', async () => {
    const { atHome, atFollower, projectId } = await followNewProject(pair.home, pair.follower)
    const { remember } = await atHome.data(REMEMBER, note('the lighthouse keeper counts ships'))
    await expect
      .poll(async () => (await atFollower.data(SEARCH, { query: 'lighthouse' })).search.hits, {
        interval: 20,
      })
      .toMatchObject([{ memory: { id: remember.memory.id, shared: true } }])
    expect(await chainOf(pair.follower, projectId)).toEqual(await chainOf(pair.home, projectId))
    expect(await verifyJournal(pair.follower.scopeOf(projectId))).toMatchObject({ events: 1, problems: 0 })
  })

  it('sends writes to its home, whose receipt it gives', async () => {
    const { atHome, atFollower, projectId } = await followNewProject(pair.home, pair.follower)
    await atHome.data(REMEMBER, note('first, at home'))
    const { remember } = await atFollower.data(REMEMBER, note('second, from the follower'))
    expect(remember).toMatchObject({ __typename: 'Remembered', sequence: 2, memory: { shared: true } })
    const found = await atFollower.data(SEARCH, { query: 'second', atLeast: 2 })
    expect(found.search.hits[0]).toMatchObject({ memory: { id: remember.memory.id } })
    // The read models follow their journals.
    await expect
      .poll(async () => (await atHome.data(MEMORY, { id: remember.memory.id })).memory?.text)
      .toContain('second')
    expect(await chainOf(pair.follower, projectId)).toEqual(await chainOf(pair.home, projectId))
    const refused = await atFollower.data(REVISE, {
      id: remember.memory.id,
      input: { labels: ['x'] },
      expectedVersion: 7,
    })
    expect(refused.revise).toMatchObject({ __typename: 'ConflictError', code: 'VERSION_CONFLICT' })
  })

  it('keeps what is written offline in its branch, shows it, and sends it in order', async () => {
    const { atHome, atFollower, projectId } = await followNewProject(pair.home, pair.follower)
    const { remember: shared } = await atHome.data(REMEMBER, note('known to both'))
    await expect.poll(async () => (await standing(atFollower)).copied).toBe(1)
    pair.home.reachable(false)
    try {
      const key = newId()
      const { remember } = await atFollower.data(
        REMEMBER,
        note('written on a train', { idempotencyKey: key }),
      )
      expect(remember).toMatchObject({ __typename: 'Remembered', memory: { shared: false } })
      const { revise } = await atFollower.data(REVISE, {
        id: shared.memory.id,
        input: { content: { note: { text: 'known to both, changed on a train' } } },
      })
      expect(revise).toMatchObject({ __typename: 'Revised', memory: { shared: false, version: 2 } })
      const again = await atFollower.data(REMEMBER, note('written on a train', { idempotencyKey: key }))
      expect(again.remember).toMatchObject({ duplicate: true, memory: { id: remember.memory.id } })
      const onTrains = async (atLeast?: number) => {
        const { search } = await atFollower.data(SEARCH, { query: 'train', atLeast })
        const hits = search.hits as { memory: { text: string; shared: boolean } }[]
        return hits.filter(({ memory }) => memory.text.includes('train')).map(({ memory }) => memory.shared)
      }
      await expect.poll(() => onTrains()).toEqual([false, false])
      expect(await standing(atFollower)).toMatchObject({ waiting: 2 })
      await atHome.data(REMEMBER, note('meanwhile at home'))

      pair.home.reachable(true)
      await untilConnected(atFollower)
      await expect
        .poll(async () => (await atHome.data(MEMORY, { id: remember.memory.id })).memory)
        .toMatchObject({ shared: true })
      await expect
        .poll(async () => (await atHome.data(MEMORY, { id: shared.memory.id })).memory.text)
        .toContain('changed on a train')
      expect(await chainOf(pair.follower, projectId)).toEqual(await chainOf(pair.home, projectId))
      const late = await atFollower.data(REMEMBER, note('written on a train', { idempotencyKey: key }))
      // Its receipt was provisional: what it was given for is there, in another place.
      const asked = { id: remember.memory.id, atLeast: remember.sequence, hash: remember.hash }
      expect((await atFollower.data(OWN, asked)).memory).toEqual({ id: remember.memory.id, shared: true })
      expect(late.remember).toMatchObject({
        duplicate: true,
        memory: { id: remember.memory.id, shared: true },
      })
      expect(await onTrains(4)).toEqual([true, true])
      expect(await verifyJournal(pair.follower.scopeOf(projectId))).toMatchObject({ problems: 0 })
    } finally {
      pair.home.reachable(true)
    }
  })

  it('takes the vectors of what was there from its home', async () => {
    const atHome = await pair.home.running.newClient(true)
    for (let at = 0; at < 30; at += 1) await atHome.data(REMEMBER, note(`a distinct text, number ${at}`))
    const vectorsOf = async (node: SyncNode) => {
      const scope = node.scopeOf(atHome.projectId)
      const { rows } = await sql<{ hash: string; embedding: string; bits: string | null; at: string }>`
        select encode(c.content_hash, 'hex') as hash, c.embedding::text, encode(e.token_bits, 'hex') as bits, e.embedded_at as at
        from embedding_chunks c join embeddings e using (project_id, model_id, content_hash)
        where c.project_id = ${atHome.projectId} order by 1, c.chunk`.execute(scope.db)
      return rows
    }
    await expect.poll(async () => (await vectorsOf(pair.home)).length).toBe(30)
    // Its own embedder is away, so that nothing else could make them.
    const without = await startSyncNode(start, null)
    try {
      await untilConnected(await follow(without, pair.home, atHome))
      await expect.poll(async () => (await vectorsOf(without)).length).toBe(30)
      const plain = (rows: Awaited<ReturnType<typeof vectorsOf>>) =>
        rows.map(({ hash, embedding, bits }) => ({ hash, embedding, bits }))
      expect(plain(await vectorsOf(without))).toEqual(plain(await vectorsOf(pair.home)))
    } finally {
      await without.stop()
    }
  })
})
