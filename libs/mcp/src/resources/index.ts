import type { ResultOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import type { McpServer } from '@modelcontextprotocol/server'
import { AGENT_MEMORY, memoryLines, quoting } from '../answers/memory.ts'
import type { Session } from '../session.ts'

const PAGE = 'edges { node { ...AgentMemory } }'
const RECENT = queries.memories(PAGE, [AGENT_MEMORY])
const TODOS = queries.openTodos(PAGE, [AGENT_MEMORY])
const SESSIONS = queries.activeSessions(PAGE, [AGENT_MEMORY])

interface Page {
  readonly edges: readonly { readonly node: ResultOf<typeof AGENT_MEMORY> }[]
}

const textOf = ({ edges }: Page, hint: string): string =>
  edges.length === 0 ? hint : quoting(edges.map(({ node }) => memoryLines(node)).join('\n\n'))

/** The lists that agents may read. In a context, only what belongs to it. A new one is an entry here. */
export const RESOURCES: readonly ResourceDefinition[] = [
  {
    name: 'recent',
    uri: 'daybook://recent',
    title: 'Recent memories',
    description: 'The 20 newest memories.',
    read: async (session) =>
      textOf((await session.ask(RECENT, newest(20, session))).memories, 'There are no memories yet.'),
  },
  {
    name: 'open-todos',
    uri: 'daybook://todos/open',
    title: 'Open todos',
    description: 'Todos that are not resolved, the newest first.',
    read: async (session) =>
      textOf((await session.ask(TODOS, newest(50, session))).openTodos, 'There are no open todos.'),
  },
  {
    name: 'active-session',
    uri: 'daybook://session/active',
    title: 'Active session',
    description: 'The newest session that is not closed.',
    read: async (session) =>
      textOf((await session.ask(SESSIONS, newest(1, session))).activeSessions, 'No session is active.'),
  },
]

const newest = (first: number, { context }: Session) => ({ filter: { context }, first })

const MEMORY = queries.memory('...AgentMemory', [AGENT_MEMORY])

/** A memory as text; null if there is none. @throws ApiError */
export async function readMemory(id: string, session: Session): Promise<string | null> {
  const { memory } = await session.ask(MEMORY, { id, atLeast: session.receipts.newest })
  return memory === null ? null : quoting(memoryLines(memory))
}

/** A list of memories under an address that stays the same. */
export interface ResourceDefinition {
  readonly name: string
  readonly uri: string
  readonly title: string
  readonly description: string
  /** The text for the model. @throws ApiError */
  read(session: Session): Promise<string>
}

/** The address of one memory. */
export const MEMORY_URI = 'daybook://memory/'

/** The address of a memory by its id. */
export const memoryUri = (id: string): string => `${MEMORY_URI}${encodeURIComponent(id)}`

/**
 * Lets a client of the revisions of 2025 subscribe to resources over a connection that stays.
 * @param onFirst called when the first one is subscribed to
 * @returns whether a resource is subscribed to
 */
export function takeSubscriptions(server: McpServer, onFirst: () => void): (uri: string) => boolean {
  const subscribed = new Set<string>()
  server.server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (subscribed.size === 0) onFirst()
    subscribed.add(uri)
    return {}
  })
  server.server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscribed.delete(uri)
    return {}
  })
  return (uri) => subscribed.has(uri)
}
