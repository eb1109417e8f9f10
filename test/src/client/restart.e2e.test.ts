import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, type DaybookClient } from '@daybook/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDaemon } from '../support/daemon.ts'

const note = (text: string) => ({ content: { note: { text } } })

describe('a daemon that is killed and comes back', () => {
  const daemon = createTestDaemon()
  let client: DaybookClient
  beforeAll(async () => {
    await daemon.start()
    const apiKey = readFileSync(join(daemon.dataDir, 'api-key'), 'utf8').trim()
    client = createClient({ url: daemon.url() ?? '', apiKey, retryForMs: 240_000 })
  })
  afterAll(() => daemon.remove())

  test('loses no event for its followers, repeats none, and makes a change that was waiting', async () => {
    const port = new URL(daemon.url() ?? '').port
    const abort = new AbortController()
    const seen: string[] = []
    const following = (async () => {
      for await (const { sequence, memory } of client.events({ after: 0, signal: abort.signal }))
        seen.push(`${sequence} ${memory?.text}`)
    })()
    await client.remember(note('one'))
    await expect.poll(() => seen).toEqual(['1 one'])
    await daemon.kill()
    // Nothing listens: it is sent again until the daemon is back.
    const waiting = client.remember(note('two'))
    await daemon.start({ environment: { DAYBOOK_PORT: port } })
    expect(await waiting).toMatchObject({ sequence: 2, version: 1 })
    await client.remember(note('three'))
    await expect.poll(() => seen).toEqual(['1 one', '2 two', '3 three'])
    abort.abort()
    await following
  })
})
