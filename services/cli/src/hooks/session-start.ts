import { graphql } from '@daybook/api/graphql'
import { request } from '../client/request.ts'
import type { Connection } from '../settings.ts'
import { type Known, knownText } from './known-text.ts'

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

interface Node extends Omit<Known, 'at'> {
  readonly importance: number
  readonly createdAt: string
  readonly occurredAt: string | null
}

/** Work that was put aside comes first, then what is left to do, what was learned, and the last sessions. */
const toKnown = ({ edges }: { readonly edges: readonly { readonly node: Node }[] }): Known[] =>
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
  const { knowledge, todos, stashes, sessions } = await request(connection, KNOWN, { context }, timeoutMs)
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
