import type { TestClient } from '@daybook/gateway/testing/test-gateway'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { describe, expect, it } from 'vitest'
import { follow, standing, useSyncPair } from './sync-node.ts'

const REMEMBER = `mutation ($input: RememberInput!) { remember(input: $input) {
  ... on Remembered { sequence memory { id version } } ... on DaybookError { code message } } }`
const REVISE = `mutation ($id: ID!, $input: ReviseInput!) { revise(id: $id, input: $input) {
  __typename ... on Revised { sequence } ... on DaybookError { code message } } }`
const FORGET = 'mutation ($id: ID!) { forget(id: $id) { __typename ... on DaybookError { code message } } }'
const PREVIEWS = `query ($resolved: Boolean) { syncConflicts(resolved: $resolved) {
  id resolution preview { changed { field before after } text { change text } } } }`
const RESOLVE = `mutation ($id: ID!) { resolveSyncConflict(id: $id, resolution: THEIRS) { __typename } }`

const note = (text: string) => ({ content: { note: { text } } })

describe.each(SERVICE_DATABASES)('what a conflict would change, on $name', ({ start }) => {
  const pair = useSyncPair(start)

  /** A memory that both have, which is then changed offline and at home. */
  async function conflictOf(
    offline: (client: TestClient, id: string) => Promise<unknown>,
    atHome: (client: TestClient, id: string) => Promise<unknown>,
  ) {
    const owner = await pair.home.running.newClient(true)
    const follows = await follow(pair.follower, pair.home, owner, 'ASK')
    const { remember } = await owner.data(REMEMBER, { input: note('the ferry leaves at nine') })
    const { id } = remember.memory
    await expect.poll(async () => (await standing(follows)).copied).toBe(1)
    pair.home.reachable(false)
    try {
      await offline(follows, id)
      await atHome(owner, id)
    } finally {
      pair.home.reachable(true)
    }
    await expect.poll(() => standing(follows)).toMatchObject({ openConflicts: 1, waiting: 0, lagEvents: 0 })
    const previews = async (resolved = false) => (await follows.data(PREVIEWS, { resolved })).syncConflicts
    return { id, owner, follows, previews }
  }
  const revise = (client: TestClient, id: string, input: object) => client.data(REVISE, { id, input })

  it('is told against the memory as it is now, word by word, and writes nothing', async () => {
    const { id, owner, follows, previews } = await conflictOf(
      (client, of) => revise(client, of, { ...note('the ferry leaves at ten'), labels: ['travel'] }),
      (client, of) => revise(client, of, note('the last ferry leaves at nine')),
    )
    // The read model may follow the journal a moment later.
    await expect
      .poll(async () => (await previews())[0].preview.text)
      .toEqual([
        { change: 'SAME', text: 'the ' },
        { change: 'REMOVED', text: 'last ' },
        { change: 'SAME', text: 'ferry leaves at ' },
        { change: 'REMOVED', text: 'nine' },
        { change: 'ADDED', text: 'ten' },
      ])
    const [conflict] = await previews()
    expect(conflict.preview.changed).toMatchObject([
      { field: 'content.text', after: 'the ferry leaves at ten' },
      { field: 'labels', before: [], after: ['travel'] },
    ])
    // The memory goes on, and what is told with it.
    await revise(owner, id, note('the ferry leaves at ten'))
    await expect.poll(async () => (await previews())[0].preview.changed).toMatchObject([{ field: 'labels' }])
    expect(await standing(follows)).toMatchObject({ copied: 3, waiting: 0 })
    await follows.data(RESOLVE, { id: conflict.id })
    expect(await previews(true)).toEqual([{ id: conflict.id, resolution: 'THEIRS', preview: null }])
  })

  it('is nothing for what the journal would refuse', async () => {
    const { previews } = await conflictOf(
      (client, of) => revise(client, of, { labels: ['travel'] }),
      (client, of) => client.data(FORGET, { id: of }),
    )
    // The home may have refused it before its own event is here.
    await expect.poll(() => previews()).toMatchObject([{ resolution: null, preview: null }])
  })
})
