import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pause } from '@daybook/runtime/backoff'
import { request } from '../reindex/operations.ts'
import type { TestDaemon } from '../support/daemon.ts'
import { askGraphQL, dataOf, TransportError } from '../support/graphql.ts'

/** Something that goes on until it is stopped. */
export interface Other {
  stop(): Promise<void>
}

/** Erases memories of a project of its own, because those of the ledger must all be there. */
export interface Eraser {
  /** The ids of those whose erasure was acknowledged. */
  readonly erased: string[]
  begin(daemon: TestDaemon): Promise<Other>
  /** @returns those that can be read again */
  check(daemon: TestDaemon): Promise<string[]>
}

/** Goes on until the daemon is gone or it is stopped. */
function other(work: (signal: AbortSignal) => Promise<void>): Other {
  const stop = new AbortController()
  const ended = work(stop.signal).catch((error: unknown) => {
    if (!(error instanceof TransportError)) throw error
  })
  return {
    stop() {
      stop.abort()
      return ended
    },
  }
}

const MAKE = `mutation { createProject(name: "erased") { ... on CreatedProject { project { id } } } }`
const MAKE_KEY = `mutation ($input: CreateKeyInput!) { createKey(input: $input) { ... on CreatedKey { key } } }`
const REMEMBER = `mutation ($text: String!) {
  remember(input: { content: { note: { text: $text } } }) { ... on Remembered { memory { id } } }
}`

/** Prepares an eraser; its project is made at its first beginning. */
export function startEraser(): Eraser {
  const erased: string[] = []
  let key: string | null = null
  const asker =
    (daemon: TestDaemon, apiKey: string) =>
    async <Data>(query: string, variables: object) => {
      const url = daemon.url()
      if (url === null) throw new TransportError('the daemon is stopped')
      return dataOf(await askGraphQL<Data>({ url, apiKey }, { query, variables: { ...variables } }))
    }
  const makeKey = async (daemon: TestDaemon): Promise<string> => {
    const ask = asker(daemon, readFileSync(join(daemon.dataDir, 'api-key'), 'utf8').trim())
    const { createProject } = await ask<{ createProject: { project?: { id: string } } }>(MAKE, {})
    const projects = [createProject.project?.id ?? 'erased']
    const input = { name: 'eraser', projects, scopes: ['READ', 'WRITE', 'ADMIN'] }
    const made = await ask<{ createKey: { key: string } }>(MAKE_KEY, { input })
    return made.createKey.key
  }
  return {
    erased,
    async begin(daemon) {
      key ??= await makeKey(daemon)
      const ask = asker(daemon, key)
      return other(async (signal) => {
        for (let count = 0; !signal.aborted; count += 1) {
          const text = `to be erased ${count}: ${'lantern river compass '.repeat(20)}`
          const { remember } = await ask<{ remember: { memory: { id: string } } }>(REMEMBER, { text })
          const { id } = remember.memory
          try {
            await ask('mutation ($id: ID!) { erase(id: $id) { __typename } }', { id })
            erased.push(id)
          } catch (error) {
            // After a cut the index may be behind for longer than a request waits. Then this one stays.
            if (!String(error).includes('"code":"BEHIND"')) throw error
          }
          await pause(100, signal)
        }
      })
    },
    async check(daemon) {
      if (key === null || erased.length === 0) return []
      const ids = erased.slice(-50)
      const query = `{ ${ids.map((id, index) => `m${index}: memory(id: "${id}") { text }`).join(' ')} }`
      const found = Object.values(
        await asker(daemon, key)<Record<string, { text: string } | null>>(query, {}),
      )
      return found.flatMap((memory, index) =>
        memory === null ? [] : [`${ids[index]} was erased and is there again`],
      )
    },
  }
}

/** Builds the read model again, again and again. */
export function startRebuilds(daemon: TestDaemon): Other {
  return other(async (signal) => {
    while (!signal.aborted) {
      // Refused while another one is under way.
      await request(daemon, 'reindex(projection: PGVECTOR)').catch((error: unknown) => {
        if (error instanceof TransportError) throw error
      })
      await pause(500, signal)
    }
  })
}
