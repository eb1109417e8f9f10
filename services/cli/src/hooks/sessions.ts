import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { graphql } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import { safeLine } from '@daybook/memory/safe-text'
import { request as ask, succeeded } from '../client/request.ts'
import { shorten } from '../output/print.ts'
import type { Connection } from '../settings.ts'
import { type ContextKnowledge, knownText, maskSecrets } from './known-text.ts'
import type { HookInput, Transcript } from './read-transcript.ts'

/** Memories of low trust, such as of web pages, are left out: nobody asked for them in this session. */
const KNOWN = graphql(`
  query SessionStart($context: String!) {
    knowledge: memories(
      filter: { context: $context, kinds: [DECISION, INSIGHT, LEARNING, ERROR, FACT, NOTE], minTrust: NORMAL }, first: 60
    ) { edges { node { id title content importance createdAt occurredAt supersededBy { id } } } }
    todos: openTodos(filter: { context: $context, minTrust: NORMAL }, first: 10) {
      edges { node { id title content importance createdAt occurredAt } }
    }
    stashes: memories(filter: { context: $context, kinds: [STASH], minTrust: NORMAL }, first: 3) {
      edges { node { id title content importance createdAt occurredAt } }
    }
    sessions: memories(filter: { context: $context, kinds: [SESSION], minTrust: NORMAL }, first: 3) {
      edges { node { id title content importance createdAt occurredAt } }
    }
  }`)

interface Node extends Omit<ContextKnowledge, 'at'> {
  readonly importance: number
  readonly createdAt: string
  readonly occurredAt: string | null
}

/** Work that was put aside comes first, then what is left to do, what was learned, and the last sessions. */
const toKnown = ({ edges }: { readonly edges: readonly { readonly node: Node }[] }): ContextKnowledge[] =>
  edges.map(({ node: { id, title, content, createdAt, occurredAt } }) => ({
    id,
    title,
    content,
    at: occurredAt ?? createdAt,
  }))

/**
 * What is known of a context, for the beginning of a session: one request, without a search, so that no model is waited for.
 * @param tokens the most tokens that it takes
 * @returns an empty text if nothing is known
 * @throws what `request` throws
 */
export async function knownOf(
  connection: Connection,
  context: string,
  { tokens, timeoutMs }: { readonly tokens: number; readonly timeoutMs: number },
): Promise<string> {
  const { knowledge, todos, stashes, sessions } = await ask(connection, KNOWN, { context }, timeoutMs)
  const valid = knowledge.edges.filter(({ node }) => node.supersededBy === null)
  // They come newest first, which decides between equally important ones.
  const best = valid.toSorted((one, next) => next.node.importance - one.node.importance)
  return knownText(
    context,
    [
      { heading: 'Put aside', memories: toKnown(stashes) },
      { heading: 'Left to do', memories: toKnown(todos) },
      { heading: 'Known', memories: toKnown({ edges: best }) },
      { heading: 'Last sessions', memories: toKnown(sessions) },
    ],
    tokens,
  )
}

const ABOUT = graphql(`
  query Prompt($query: String!, $context: String!) {
    search(query: $query, filter: { context: $context, minTrust: NORMAL }, limit: 3, minScore: 0.3) {
      hits { memory { id title content createdAt occurredAt } }
    }
  }`)

/** The most characters of a prompt that are searched for. */
const PROMPT_CHARACTERS = 1_000

/**
 * What is known about a prompt, of what probably answers it only.
 * @returns an empty text if nothing does
 * @throws what `request` throws
 */
export async function knownAbout(
  connection: Connection,
  context: string,
  prompt: string,
  { tokens, timeoutMs }: { readonly tokens: number; readonly timeoutMs: number },
): Promise<string> {
  const query = maskSecrets(prompt.slice(0, LOOKED_AT)).slice(0, PROMPT_CHARACTERS)
  if (!/[\p{L}\p{N}]/u.test(query)) return ''
  const { search } = await ask(connection, ABOUT, { query, context }, timeoutMs)
  const memories = search.hits.map(({ memory: { id, title, content, createdAt, occurredAt } }) => ({
    id,
    title,
    content,
    at: occurredAt ?? createdAt,
  }))
  return knownText(context, [{ heading: 'About this', memories }], tokens)
}

const FOUND = graphql(`
  query SessionEnd($label: String!, $context: String, $since: DateTime) {
    earlier: memories(filter: { labelsAll: [$label], kinds: [SESSION] }, first: 1) { edges { node { id } } }
    active: activeSessions(filter: { context: $context, createdAfter: $since }, first: 2) { edges { node { id } } }
  }`)

const REMEMBER = mutations.remember('sequence memory { id }')

const REVISE = mutations.revise('sequence memory { id }')

const CLOSE = mutations.closeSession('sequence memory { id }')

/** What an ended session left in Daybook. */
interface SessionEnd {
  /** The memory of the session. */
  readonly id: string
  /** The active session that was closed; null if there was not exactly one. */
  readonly closed: string | null
}

/** A session and what is to be kept of it. */
interface EndedSession {
  readonly input: HookInput
  readonly record: SessionRecord
  readonly context: string | null
  readonly startedAt: string | null
  /** Whether it has ended. Otherwise it is remembered as it is so far, and revised later. */
  readonly isOver: boolean
}

/** Made by a program out of what was said: less important than what somebody chose to remember. */
const IMPORTANCE = 3

/**
 * Remembers a session that has ended, or what it was until now. One that was resumed and ends again is revised: its label holds the client's id of it. It also closes
 * the active session that the agent itself remembered meanwhile in this context, if there is exactly one: with several, nobody
 * knows which of them this was.
 * @param timeoutMs the longest that each of the two rounds of requests may take
 * @throws what `request` throws, RefusedError
 */
export async function rememberSession(
  connection: Connection,
  { input, record, context, startedAt, isOver }: EndedSession,
  timeoutMs: number,
): Promise<SessionEnd> {
  const { client, sessionId, reason } = input
  const label = labelOf(client, sessionId ?? `${record.summary}${startedAt ?? ''}`)
  const { earlier, active } = await ask(
    connection,
    FOUND,
    // Without a beginning it cannot be known which active session belongs to this one.
    { label, context, since: startedAt ?? new Date().toISOString() },
    timeoutMs,
  )
  const content = {
    session: {
      summary: record.summary,
      keyChanges: [...record.keyChanges],
      status: isOver ? ('CLOSED' as const) : ('ACTIVE' as const),
    },
  }
  // The same session with the same content, sent twice.
  const idempotencyKey = `hook:${label}:${digest(JSON.stringify(content))}`
  const [known] = earlier.edges
  const [only, another] = active.edges
  const [id, closed] = await Promise.all([
    known === undefined
      ? ask(
          connection,
          REMEMBER,
          {
            input: {
              content,
              context: context ?? undefined,
              agent: client,
              importance: IMPORTANCE,
              labels: [label],
              metadata: { client, sessionId, reason, writtenBy: 'hook' },
              occurredAt: startedAt ?? undefined,
              idempotencyKey,
            },
          },
          timeoutMs,
        ).then(({ result }) => succeeded(result).memory.id)
      : ask(connection, REVISE, { id: known.node.id, input: { content }, idempotencyKey }, timeoutMs).then(
          ({ result }) => succeeded(result).memory.id,
        ),
    !isOver || only === undefined || another !== undefined || only.node.id === known?.node.id
      ? null
      : ask(connection, CLOSE, { id: only.node.id }, timeoutMs).then(
          ({ result }) => succeeded(result).memory.id,
        ),
  ])
  return { id, closed }
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** The label of a session: the client's name and its id, or a digest of an id that no label could hold. */
const labelOf = (client: string, sessionId: string): string =>
  /^[\w-]{1,48}$/u.test(sessionId) ? `${client}:${sessionId}` : `${client}:${digest(sessionId)}`

/** What is remembered of a session. */
interface SessionRecord {
  readonly summary: string
  readonly keyChanges: readonly string[]
}

/** The most requests and files that are kept, and the characters of one. */
const [REQUESTS, REQUEST_CHARACTERS] = [12, 240]

const [FILES, FILE_CHARACTERS] = [50, 500]

/** What a mask may have to look at, so that a pasted file takes no time. A secret is not cut in two at a place that is kept. */
const LOOKED_AT = 4_000

/**
 * What can be said of a session without a language model: what the user asked for, in the user's words, and which files were changed.
 * What looks like a secret is masked.
 * @returns null if nothing was asked and nothing changed
 */
export function recordOf(
  { requests, files }: Transcript,
  { title, folder }: { readonly title: string; readonly folder: string },
): SessionRecord | null {
  if (requests.length === 0 && files.length === 0) return null
  const [first, ...others] = requests.map(sayRequest).filter((request) => request !== '')
  const last = others.slice(-(REQUESTS - 1))
  const more = others.length - last.length
  const lines = [
    first === undefined ? `${title} changed ${files.length} files.` : `${title} was asked: ${first}`,
    ...(more === 0 ? [] : [`(${more} more)`]),
    ...last.map((request) => `then: ${request}`),
  ]
  const changed = files.slice(0, FILES).map((file) => `changed ${sayFile(file, folder)}`)
  const rest = files.length - changed.length
  return {
    summary: lines.join('\n'),
    keyChanges: rest === 0 ? changed : [...changed, `changed ${rest} more files`],
  }
}

const sayRequest = (request: string): string =>
  shorten(safeLine(maskSecrets(request.slice(0, LOOKED_AT))), REQUEST_CHARACTERS, 0)

/** A path below the folder without it. */
function sayFile(file: string, folder: string): string {
  const below = relative(folder, file)
  const said = below === '' || below.startsWith('..') ? file : below
  return shorten(safeLine(maskSecrets(said)), FILE_CHARACTERS, 0)
}
