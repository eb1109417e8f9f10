import { CHAIN_START } from '@daybook/memory/event-hash'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { readLines } from '@daybook/runtime/read-lines'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SyncNode, startSyncNode } from './sync-node.ts'

const REMEMBER = `mutation ($input: RememberInput!) { remember(input: $input) { __typename } }`

describe.each(SERVICE_DATABASES)("a home's stream, on $name", ({ start }) => {
  let home: SyncNode
  beforeAll(async () => {
    home = await startSyncNode(start)
  })
  afterAll(() => home?.stop())

  it('says before the first event how much is to come, so that a follower can show how far it is', async () => {
    const client = await home.running.newClient(true)
    for (const text of ['one', 'two', 'three'])
      await client.data(REMEMBER, { input: { content: { note: { text } } } })
    const left = new AbortController()
    const { body } = await fetch(`${home.url}/sync/journal?sequence=0&hash=${CHAIN_START}`, {
      headers: { authorization: `Bearer ${client.key}`, 'x-daybook-project': client.projectId },
      signal: left.signal,
    })
    const lines: Record<string, { sequence?: number }>[] = []
    for await (const { text } of readLines(body as unknown as AsyncIterable<Uint8Array>, 1024 * 1024)) {
      lines.push(JSON.parse(text ?? '') as (typeof lines)[number])
      if (lines.length === 6) break
    }
    left.abort()
    expect(lines.map((line) => Object.keys(line)[0])).toEqual([
      'state',
      'head',
      'event',
      'event',
      'event',
      'head',
    ])
    expect(lines[1]?.['head']).toMatchObject({ sequence: 3 })
  })
})
