import { constantFrom, nat, oneof, record, sample } from 'fast-check'
import { applyEdit, type Edit, edit } from '../fuzz-request.ts'
import { type Answer, faultOf } from '../send.ts'
import { idOf } from './fresh-id.ts'
import { type Mutation, mutate, mutations } from './mutations.ts'
import type { Exchange } from './recording.ts'

/** A question that somebody asks who is no follower of ours. */
interface FalseQuestion {
  /** Which of the recorded ones it is made of. */
  readonly of: number
  readonly changes: readonly Mutation[]
  /** Of the text that the changes come to; null: none. */
  readonly cut: Edit | null
  readonly project: string
  readonly follower: string
}

/** What false followers need. */
export interface FalseFollowers {
  /** The home's address. */
  readonly url: string
  /** A key that opens one project. */
  readonly key: string
  /** That one. */
  readonly project: string
  readonly exchanges: readonly Exchange[]
  /** Of all projects. */
  readonly ids: readonly string[]
  /** In every text of projects that the key does not open. */
  readonly marker: string
}

/** Milliseconds for which a stream is read. */
const STREAM_MS = 150
const CLIENTS = 4

/** Asks a home so many questions. @param onAnswer called with what must not be, as a sentence; null if all is right */
export async function askFalsely(
  { url, key, project, exchanges, ids, marker }: FalseFollowers,
  { count, seed }: { readonly count: number; readonly seed: number },
  onAnswer: (answer: Answer, fault: string | null) => Promise<boolean>,
): Promise<void> {
  // Streams hold much of the same.
  const posted = exchanges.filter(({ method }) => method === 'POST')
  const asked = [...posted, ...exchanges.filter(({ method }) => method === 'GET').slice(0, 2)]
  const question = record<FalseQuestion>({
    of: nat(1_000),
    changes: mutations(ids),
    cut: oneof({ weight: 1, arbitrary: edit }, { weight: 9, arbitrary: constantFrom(null) }),
    project: oneof(
      { weight: 9, arbitrary: constantFrom(project) },
      { weight: 1, arbitrary: constantFrom(...ids, '', 'default', '%', '%00', 'x'.repeat(300)) },
    ),
    follower: constantFrom(idOf('follower', seed), '', 'x', ids[0] ?? ''),
  })
  const queue = sample(question, { numRuns: count, seed })
  let goesOn = true
  const client = async (): Promise<void> => {
    for (let one = queue.pop(); one !== undefined && goesOn; one = queue.pop()) {
      const exchange = asked[one.of % asked.length] as Exchange
      const { request, answer } = await ask(exchange, one, { url, key, seed: `${seed}/${queue.length}` })
      const fault = faultOf(answer, marker)
      goesOn =
        (await onAnswer(answer, fault === null ? null : `${fault}: ${request.slice(0, 2_000)}`)) && goesOn
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}

async function ask(
  { method, path, body }: Exchange,
  { changes, cut, project, follower }: FalseQuestion,
  { url, key, seed }: { readonly url: string; readonly key: string; readonly seed: string },
): Promise<{ readonly request: string; readonly answer: Answer }> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${key}`,
    'x-daybook-project': project,
    'x-daybook-follower': follower,
    'x-daybook-follower-name': 'false',
  }
  const edited = (text: string) => (cut === null ? text : applyEdit(text, cut))
  if (method === 'GET') {
    const [where = '', query = ''] = path.split('?')
    const changed = mutate(Object.fromEntries(new URLSearchParams(query)), changes)
    const asked = new URLSearchParams(
      Object.entries(changed ?? {}).map(([name, value]) => [
        name,
        (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 2_000),
      ]),
    )
    const target = `${where}?${edited(asked.toString()).replace(/[^!-~]/gu, '')}`
    return { request: target, answer: await send(`${url}${target}`, { headers }) }
  }
  const text = edited(JSON.stringify(mutate(freshened(body, seed), changes)) ?? '')
  const sent = { method, headers: { ...headers, 'content-type': 'application/json' }, body: text }
  return { request: `${path} ${text}`, answer: await send(`${url}${path}`, sent) }
}

/** Under keys of their own, and about memories of their own, or most would only be known already. */
function freshened(body: unknown, seed: string): unknown {
  const { commands } = (body ?? {}) as { commands?: { key: string; command: { type: string } }[] }
  if (commands === undefined) return body
  return {
    commands: commands.map((one, index) => ({
      ...one,
      key: idOf(seed, 'key', index),
      command: { ...one.command, ...(one.command.type === 'remember' && { id: idOf(seed, index) }) },
    })),
  }
}

async function send(url: string, init: RequestInit): Promise<Answer> {
  let status: number | null = null
  let text = ''
  try {
    const signal = AbortSignal.timeout(init.method === undefined ? STREAM_MS : 30_000)
    const response = await fetch(url, { ...init, signal })
    status = response.status
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? [])
      text += decoder.decode(chunk as Uint8Array, { stream: true })
  } catch {
    // Whether it has ended is looked at after each.
  }
  return { status, text }
}
