import { createHash } from 'node:crypto'
import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { request } from '../client/request.ts'
import { succeeded } from '../client/result.ts'
import type { Connection } from '../settings.ts'
import type { HookInput } from './hook-input.ts'
import type { SessionRecord } from './session-record.ts'

const FOUND = graphql(`
  query SessionEnd($label: String!, $context: String, $since: DateTime) {
    earlier: memories(filter: { labelsAll: [$label], kinds: [SESSION] }, first: 1) { edges { node { id } } }
    active: activeSessions(filter: { context: $context, createdAfter: $since }, first: 2) { edges { node { id } } }
  }`)

const REMEMBER = graphql(
  `mutation RememberSession($input: RememberInput!) {
    remember(input: $input) { __typename ... on Remembered { sequence memory { id } } ...Failure }
  }`,
  [FAILURE],
)

const REVISE = graphql(
  `mutation ReviseSession($id: ID!, $input: ReviseInput!, $idempotencyKey: String) {
    revise(id: $id, input: $input, idempotencyKey: $idempotencyKey) {
      __typename ... on Revised { sequence memory { id } } ...Failure
    }
  }`,
  [FAILURE],
)

const CLOSE = graphql(
  `mutation CloseActive($id: ID!) {
    closeSession(id: $id) { __typename ... on Revised { sequence memory { id } } ...Failure }
  }`,
  [FAILURE],
)

/** What an ended session left in Daybook. */
export interface SessionEnd {
  /** The memory of the session. */
  readonly id: string
  /** The active session that was closed; null if there was not exactly one. */
  readonly closed: string | null
}

/** A session and what is to be kept of it. */
export interface EndedSession {
  readonly input: HookInput
  readonly record: SessionRecord
  readonly context: string | null
  readonly startedAt: string | null
}

/** Made by a program out of what was said: less important than what somebody chose to remember. */
const IMPORTANCE = 3

/**
 * Remembers a session that has ended. One that was resumed and ends again is revised: its label holds the client's id of it. It also closes
 * the active session that the agent itself remembered meanwhile in this context, if there is exactly one: with several, nobody
 * knows which of them this was.
 * @param timeoutMs the longest that each of the two rounds of requests may take
 * @throws what `request` throws, RefusedError
 */
export async function rememberSession(
  connection: Connection,
  { input, record, context, startedAt }: EndedSession,
  timeoutMs: number,
): Promise<SessionEnd> {
  const { client, sessionId, reason } = input
  const label = labelOf(client, sessionId ?? `${record.summary}${startedAt ?? ''}`)
  const { earlier, active } = await request(
    connection,
    FOUND,
    // Without a beginning it cannot be known which active session belongs to this one.
    { label, context, since: startedAt ?? new Date().toISOString() },
    timeoutMs,
  )
  const content = {
    session: { summary: record.summary, keyChanges: [...record.keyChanges], status: 'CLOSED' as const },
  }
  // The same session with the same content, sent twice.
  const idempotencyKey = `hook:${label}:${digest(JSON.stringify(content))}`
  const [known] = earlier.edges
  const [only, another] = active.edges
  const [id, closed] = await Promise.all([
    known === undefined
      ? request(
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
        ).then(({ remember }) => succeeded(remember).memory.id)
      : request(
          connection,
          REVISE,
          { id: known.node.id, input: { content }, idempotencyKey },
          timeoutMs,
        ).then(({ revise }) => succeeded(revise).memory.id),
    only === undefined || another !== undefined || only.node.id === known?.node.id
      ? null
      : request(connection, CLOSE, { id: only.node.id }, timeoutMs).then(
          ({ closeSession }) => succeeded(closeSession).memory.id,
        ),
  ])
  return { id, closed }
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** The label of a session: the client's name and its id, or a digest of an id that no label could hold. */
const labelOf = (client: string, sessionId: string): string =>
  /^[\w-]{1,48}$/u.test(sessionId) ? `${client}:${sessionId}` : `${client}:${digest(sessionId)}`
