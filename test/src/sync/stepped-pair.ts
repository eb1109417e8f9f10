import { createJournalWriter, type JournalWriter } from '@daybook/journal/append/journal-writer'
import { readChain } from '@daybook/journal/chain/read-chain'
import type { Command } from '@daybook/memory/commands'
import { newId } from '@daybook/memory/id'
import { placeProject } from '@daybook/postgres/access/claim-imported-project'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { TestDatabase, TestDatabaseKind } from '@daybook/postgres/testing/test-database'
import { copyJournal } from '@daybook/sync/follower/copy-journal'
import { insertFollowed } from '@daybook/sync/follower/followed-projects'
import { createHomeClient, type HomeClient } from '@daybook/sync/follower/home-client'
import { decideCommands } from '@daybook/sync/home/decide-commands'
import { streamJournal } from '@daybook/sync/home/stream-journal'
import { sentCommands } from '@daybook/sync/wire/sent-command'

/** A home and a follower without gateways and workers: each step is made by hand. */
export interface SteppedPair {
  readonly home: ProjectScope
  readonly follower: ProjectScope
  /** The home's. */
  readonly database: TestDatabase
  readonly writer: JournalWriter
  readonly client: HomeClient
  /** The home decides the next commands, but its answer does not arrive. */
  loseNextAnswer(): void
  /**
   * Copies until everything that the home has is here.
   * @param between done then, before the home is heard once more
   */
  copy(between?: () => Promise<void>): Promise<void>
  /** The journals' hashes, of the home and of the follower. */
  hashes(): Promise<readonly [readonly string[], readonly string[]]>
}

/** Two databases for a suite. */
export interface TwoDatabases {
  newPair(): Promise<SteppedPair>
  stop(): Promise<void>
}

/** Starts them. */
export async function startTwo(start: TestDatabaseKind['start']): Promise<TwoDatabases> {
  const [one, other] = [await start(), await start()]
  return {
    newPair: () => newPair(one, other),
    async stop() {
      await other.stop()
      await one.stop()
    },
  }
}

async function newPair(one: TestDatabase, other: TestDatabase): Promise<SteppedPair> {
  const home = await one.newProject()
  const { projectId } = home
  const { scope: follower } = await placeProject(other.db, { id: projectId, name: `copy-${projectId}` })
  const address = { url: 'http://home', key: 'key' }
  const copied = { sequence: 0, hash: '0'.repeat(64) }
  await follower.db
    .transaction()
    .execute((trx) => insertFollowed(trx, projectId, address, { copied, rule: 'LATEST_WINS' }))
  const writer = createJournalWriter(() => {})
  let loses = false

  const call = async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(url)
    if (pathname === '/sync/commands') {
      const { commands } = sentCommands.parse(JSON.parse(String(init.body)))
      const sender = { keyId: newId(), keyName: 'follower' }
      const decided = await decideCommands(writer, home, sender, commands as never)
      if (loses) {
        loses = false
        throw new TypeError('fetch failed')
      }
      return Response.json({ decided })
    }
    const after = {
      sequence: Number(searchParams.get('sequence')),
      hash: searchParams.get('hash') ?? '',
    }
    const ended = init.signal ?? new AbortController().signal
    const news = { mark: () => 0, since: (_: number, signal: AbortSignal) => untilAborted(signal) }
    const lines = streamJournal(home, { after, news, ended, onSent: () => {}, heartbeatMs: 50 })
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value, done } = await lines.next()
        if (done === true) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
    })
    return new Response(body)
  }
  const client = createHomeClient(
    address,
    { projectId, followerId: newId(), name: 'follower' },
    call as typeof fetch,
  )
  const hashesOf = async (scope: ProjectScope) =>
    (await readChain(scope, { after: 0, upTo: 1_000_000, limit: 1_000 })).map(({ hash }) => hash)
  return {
    home,
    follower,
    database: one,
    writer,
    client,
    loseNextAnswer: () => (loses = true),
    async copy(between) {
      const done = new AbortController()
      let left = between
      await copyJournal(follower, {
        home: client,
        vectors: null,
        signal: done.signal,
        onCommitted: () => {},
        onCopied: () => {},
        onConnected: (here) => {
          if (!here) return undefined
          if (left === undefined) return done.abort()
          const doIt = left
          left = undefined
          return void doIt()
        },
      }).catch((error: unknown) => {
        if (!done.signal.aborted) throw error
      })
    },
    hashes: async () => [await hashesOf(home), await hashesOf(follower)],
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** A request with a key. */
export const request = (command: Command, idempotencyKey: string = newId()) => ({
  command,
  idempotencyKey,
  metadata: { actor: 'tester', correlationId: null, causationId: null },
})

/** Remembers a note. */
export const note = (text: string, id: string = newId()): Command => ({
  type: 'remember',
  id,
  input: { content: { kind: 'note', fields: { text } } },
})
