import { newId } from '@daybook/memory/id'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { readFollowed } from '@daybook/sync/follower/followed-projects'
import { createHomeClient } from '@daybook/sync/follower/home-client'
import { homeInfo } from '@daybook/sync/home/home-state'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFalseHome } from './false-home.ts'
import { type SyncNode, startSyncNode } from './sync-node.ts'

const CREATE = `mutation ($input: CreateKeyInput!) { createKey(input: $input) {
  __typename ... on CreatedKey { key } ... on DaybookError { message } } }`

describe.each(SERVICE_DATABASES)('what a home hands over to, on $name', ({ start }) => {
  let home: SyncNode
  beforeAll(async () => {
    home = await startSyncNode(start)
  })
  afterAll(() => home?.stop())

  it('is an address that whoever runs it has allowed, and is asked nothing before', async () => {
    const owner = await home.running.newClient(true)
    const { createKey } = await owner.data(CREATE, {
      input: { name: 'k', scopes: ['READ', 'WRITE', 'FOLLOW', 'ADMIN'], projects: [owner.projectId] },
    })
    const handOver = async (key: string, url: string) => {
      const response = await fetch(`${home.url}/sync/hand-over`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'x-daybook-project': owner.projectId,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ epoch: 2, url, key: 'x', at: null }),
      })
      return { status: response.status, text: await response.text() }
    }
    const inside = await startFalseHome({})
    try {
      for (const [key, url] of [
        [createKey.key, inside.url.replace('127.0.0.1', 'localhost')],
        [createKey.key, 'https://daybook.example'],
        [owner.key, inside.url.replace('127.0.0.1', '127.0.0.2')],
        [owner.key, 'http://169.254.169.254'],
        [createKey.key, `${inside.url}/?q=`],
        [owner.key, `${inside.url}/latest/meta-data`],
      ] as const) {
        const { status, text } = await handOver(key, url)
        expect(status, url).toBeGreaterThanOrEqual(400)
        expect(text).toMatch(/DAYBOOK_NEXT_HOMES|without a path/u)
      }
      expect(await readFollowed(home.scopeOf(owner.projectId))).toBeNull()
      expect(inside.asked).toEqual([])
    } finally {
      await inside.stop()
    }
  })

  it.each([
    ['none of ours', { errors: [{ message: 'the secret' }] }],
    ['one that others have, too', { errors: [{ message: 'the secret', extensions: { code: 'FORBIDDEN' } }] }],
    ['one that nobody has', { errors: [{ message: 'x', extensions: { code: 'the secret' } }] }],
  ])('shows no text of a server whose error is %s', async (_, body) => {
    const server = await startFalseHome({
      hello: (response) =>
        void response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    })
    try {
      const client = createHomeClient(
        { url: server.url, key: 'key' },
        { projectId: newId(), followerId: newId(), name: 'test' },
      )
      const error: Error = await client.ask('hello', {}, homeInfo).catch((thrown) => thrown)
      expect(error.message).toMatch(/HTTP 403|READ and the scope FOLLOW/u)
      expect(`${error.message} ${(error as { code?: string }).code}`).not.toContain('secret')
    } finally {
      await server.stop()
    }
  })
})
