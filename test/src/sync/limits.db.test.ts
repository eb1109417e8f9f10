import type { ServerResponse } from 'node:http'
import { appendOne } from '@daybook/journal/append/journal-writer'
import { UnavailableError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { silentLogger } from '@daybook/runtime/logger'
import { ALWAYS_ACTIVE, createWakeUp } from '@daybook/runtime/loop'
import { appendToBranch } from '@daybook/sync/branch/append-to-branch'
import { readBranch } from '@daybook/sync/branch/branch-commands'
import { sendBranch } from '@daybook/sync/branch/send-branch'
import { copyJournal } from '@daybook/sync/follower/copy-journal'
import { createVectorFetcher } from '@daybook/sync/follower/fetch-vectors'
import { followProject } from '@daybook/sync/follower/follow-project'
import { readFollowed } from '@daybook/sync/follower/followed-projects'
import { createHomeClient, type HomeClient } from '@daybook/sync/follower/home-client'
import { homeInfo } from '@daybook/sync/home/home-state'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type FalseAnswers, type FalseHome, startFalseHome } from './false-home.ts'
import { note, request, startTwo, type TwoDatabases } from './stepped-pair.ts'

const NEVER = 2 ** 31 - 1
const MIB = 1024 * 1024

/** Sends the same bytes until nobody takes them. @returns how many were taken, once the other end has closed */
async function endless(response: ServerResponse, beginning: string): Promise<number> {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write(beginning)
  const part = Buffer.alloc(MIB, 'x')
  let sent = 0
  const closed = new Promise<void>((resolve) => response.once('close', resolve))
  while (!response.destroyed) {
    sent += part.byteLength
    if (!response.write(part))
      await Promise.race([closed, new Promise((drained) => response.once('drain', drained))])
  }
  return sent
}

describe.each(SERVICE_DATABASES)('a home that does not keep to what a home sends, on $name', ({ start }) => {
  let two: TwoDatabases
  const homes: FalseHome[] = []
  beforeAll(async () => {
    two = await startTwo(start)
  })
  afterAll(() => two.stop())
  afterEach(async () => {
    for (const home of homes.splice(0)) await home.stop()
  })
  const clientOf = async (projectId: string, answers: FalseAnswers) => {
    const home = await startFalseHome(answers)
    homes.push(home)
    return createHomeClient({ url: home.url, key: 'key' }, { projectId, followerId: newId(), name: 'test' })
  }
  const optionsOf = (home: HomeClient, signal: AbortSignal) => ({
    homeOf: () => home,
    onCommitted: () => {},
    onCopied: () => {},
    onFetched: () => {},
    logger: silentLogger,
    activity: ALWAYS_ACTIVE,
    written: createWakeUp(),
    signal,
  })

  it.each([200, 500])('is left when it answers without an end, with HTTP %i', async (status) => {
    let sent = 0
    const client = await clientOf(newId(), {
      hello: async (response) => {
        response.statusCode = status
        sent = await endless(response, '{"project":"')
      },
    })
    await expect(client.ask('hello', {}, homeInfo)).rejects.toThrow('more than 65536 bytes in an answer')
    await expect.poll(() => sent).toBeGreaterThan(0)
    expect(sent).toBeLessThan(20 * MIB)
  })

  it.each([
    ['a line without an end', (response: ServerResponse) => void endless(response, '{"event":{"data":"')],
    [
      'events of 14 MB',
      (response: ServerResponse) => {
        response.writeHead(200)
        for (let at = 0; at < 3; at += 1) response.write(`{"event":{"data":"${'x'.repeat(14 * MIB)}"}}\n`)
      },
    ],
  ])('is paused with the reason when it sends %s', async (_, journal) => {
    const { follower } = await two.newPair()
    const client = await clientOf(follower.projectId, { journal })
    // It ends by itself, and does so again after a restart.
    await followProject(follower, optionsOf(client, new AbortController().signal))
    const followed = await readFollowed(follower)
    expect(followed).toMatchObject({
      paused: true,
      problem: expect.stringMatching(/sent more than 6291456 bytes in a line.*daybook sync resume/u),
    })
    await followProject(follower, optionsOf(client, new AbortController().signal))
  })

  it('that breaks off is asked again, though nothing happens here', async () => {
    const { follower } = await two.newPair()
    const stop = new AbortController()
    let streams = 0
    const hash = '0'.repeat(64)
    const home: HomeClient = {
      ask: () => Promise.reject(new UnavailableError('not asked')),
      decide: () => new Promise((_, reject) => setTimeout(reject, NEVER)),
      async *stream() {
        streams += 1
        if (streams === 2) return stop.abort()
        yield { head: { sequence: 0, hash }, size: 80 }
        // Until the branch has been looked at, and nothing waits.
        await new Promise((resolve) => setTimeout(resolve, 200))
        throw new UnavailableError('the home broke off')
      },
    }
    const idle = { ...ALWAYS_ACTIVE, interval: () => NEVER }
    await followProject(follower, { ...optionsOf(home, stop.signal), activity: idle })
    expect(streams).toBe(2)
  })

  it.each(['[1,2]', '[1,2,1e9]', '[1,2,--]'])(
    'gives no vector that the model does not make: %s',
    async (vector) => {
      const { home, follower, client, writer } = await two.newPair()
      await appendOne(writer, home, request(note('a text')))
      const stop = new AbortController()
      let stored = -1
      const lying = {
        ...client,
        ask: async (_: string, { hashes }: { hashes: string[] }) => ({
          texts: [...hashes, 'ab'.repeat(32)].map((hash, index) => ({
            hash,
            tokenBits: null,
            chunks: [{ start: 0, end: 6, tokens: 2, vector: index === 0 ? vector : '[1,2,3]' }],
          })),
        }),
      } as unknown as HomeClient
      const model = { modelId: 'a model', dimension: 3 }
      const options = { ...optionsOf(client, stop.signal), onFetched: (texts: number) => (stored = texts) }
      await copyJournal(follower, {
        ...options,
        home: client,
        vectors: createVectorFetcher(follower, lying, model, options),
        onConnected: (here) => {
          if (here) stop.abort()
        },
      })
      await expect.poll(() => stored).toBe(0)
      expect(await follower.db.selectFrom('embeddings').select('content_hash').execute()).toEqual([])
    },
  )

  it('gets a branch in requests that a home reads', async () => {
    const { follower, client } = await two.newPair()
    const part = 'y'.repeat(60 * 1024)
    const large = () => request({ ...note(part), id: newId() } as never)
    await appendToBranch(follower, Array.from({ length: 100 }, large))
    let most = 0
    const counting: HomeClient = {
      ...client,
      decide(commands, signal) {
        most = Math.max(most, Buffer.byteLength(JSON.stringify({ commands })))
        return client.decide(commands, signal)
      },
    }
    for (let sent = 1; sent > 0; ) ({ sent } = await sendBranch(follower, counting, 'LATEST_WINS'))
    expect(most).toBeLessThan(6 * MIB)
    expect(
      (await readBranch(follower.db, follower.projectId)).every(({ sequence }) => sequence !== null),
    ).toBe(true)
  })
})
