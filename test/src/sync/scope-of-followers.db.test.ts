import { CHAIN_START } from '@daybook/memory/event-hash'
import { newId, parseMemoryId } from '@daybook/memory/id'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SyncNode, startSyncNode } from './sync-node.ts'

const CREATE = `mutation ($input: CreateKeyInput!) { createKey(input: $input) {
  __typename ... on CreatedKey { key } ... on DaybookError { message } } }`
const QUESTIONS = {
  hello: {},
  common: { places: [{ sequence: 0, hash: CHAIN_START }] },
  commands: {
    commands: [
      { key: 'k', command: { type: 'forget', id: newId() }, correlationId: null, causationId: null },
    ],
  },
  erase: { memoryIds: [newId()], correlationId: null, causationId: null },
  'hand-over': { epoch: 2, url: 'http://127.0.0.1:9', key: 'x', at: null },
} as const

describe.each(SERVICE_DATABASES)('what a key may ask as a follower, on $name', ({ start }) => {
  let home: SyncNode
  beforeAll(async () => {
    home = await startSyncNode(start)
  })
  afterAll(() => home?.stop())

  it('needs FOLLOW for all of it, WRITE to write, and ADMIN to erase and to take the home over', async () => {
    const owner = await home.running.newClient(true)
    const keyWith = async (...scopes: string[]) =>
      (await owner.data(CREATE, { input: { name: 'k', scopes, projects: [owner.projectId] } }))['createKey']
        .key as string
    const ask = async (key: string, what: keyof typeof QUESTIONS, project = owner.projectId) => {
      const response = await fetch(`${home.url}/sync/${what}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'x-daybook-project': project,
          'content-type': 'application/json',
        },
        body: JSON.stringify(QUESTIONS[what]),
      })
      return { status: response.status, text: await response.text() }
    }
    const statuses = async (key: string) =>
      Promise.all(
        (['hello', 'common', 'commands', 'erase'] as const).map(
          async (what) => (await ask(key, what)).status,
        ),
      )
    expect(await statuses(await keyWith('READ', 'WRITE'))).toEqual([403, 403, 403, 403])
    expect(await statuses(await keyWith('READ', 'FOLLOW'))).toEqual([200, 200, 403, 403])
    const writer = await keyWith('READ', 'WRITE', 'FOLLOW')
    expect(await statuses(writer)).toEqual([200, 200, 200, 403])
    expect((await ask(writer, 'hand-over')).status).toBe(403)
    expect(await statuses(await keyWith('READ', 'WRITE', 'ADMIN'))).toEqual([200, 200, 200, 200])
    expect(await statuses(await keyWith('WRITE', 'FOLLOW'))).toEqual([403, 403, 200, 403])
    const lacking = await ask(await keyWith('READ'), 'hello')
    expect(lacking.text).toContain('scope FOLLOW')
    expect(lacking.text).toContain('daybook keys create')

    const [other, nobody] = [(await home.running.newClient(true)).projectId, newId()]
    const [theirs, nobodys] = [await ask(writer, 'hello', other), await ask(writer, 'hello', nobody)]
    expect(theirs.status).toBe(nobodys.status)
    expect(theirs.text.replaceAll(other, '…')).toBe(nobodys.text.replaceAll(nobody, '…'))
    const stream = await fetch(`${home.url}/sync/journal?sequence=0&hash=${CHAIN_START}`, {
      headers: {
        authorization: `Bearer ${await keyWith('READ', 'WRITE')}`,
        'x-daybook-project': owner.projectId,
      },
    })
    expect(stream.status).toBe(403)
  })

  it('is answered with receipts, which tell nothing of a memory', async () => {
    const owner = await home.running.newClient(true)
    const { remember } = await owner.data(
      `mutation { remember(input: { content: { note: { text: "the marmot sleeps" } }, labels: ["ibex"] }) {
        ... on Remembered { hash memory { id } } } }`,
    )
    const { createKey } = await owner.data(CREATE, {
      input: { name: 'writer', scopes: ['WRITE', 'FOLLOW'], projects: [owner.projectId] },
    })
    const id = parseMemoryId(remember.memory.id)?.uuid
    const why = { correlationId: null, causationId: null }
    const commands = [
      { key: 'a', command: { type: 'revise', id, input: { importance: 3 } }, ...why },
      { key: 'b', command: { type: 'forget', id }, ...why },
      { key: 'a', command: { type: 'revise', id, input: { importance: 3 } }, ...why },
    ]
    const response = await fetch(`${home.url}/sync/commands`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${createKey.key}`,
        'x-daybook-project': owner.projectId,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ commands }),
    })
    const text = await response.text()
    expect(text).not.toMatch(/marmot|ibex/u)
    const { decided } = JSON.parse(text)
    expect(decided, text).toHaveLength(3)
    expect(decided[0]).toEqual({
      receipt: {
        memoryId: id,
        version: 2,
        sequence: 2,
        hash: expect.any(String),
        written: 'MemoryRevised',
        duplicate: false,
      },
    })
    expect(decided[2]).toMatchObject({ receipt: { version: 2, written: null, duplicate: true } })
  })
})
