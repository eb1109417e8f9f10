import { graphql, type ResultOf } from '@daybook/api/graphql'
import { AGENT_MEMORY, memoryLines } from '../answers/memory.ts'
import { quoting } from '../answers/notice.ts'
import type { ResourceDefinition } from './resource.ts'

const RECENT = graphql(
  'query McpRecent($filter: MemoryFilter) { memories(filter: $filter, first: 20) { edges { node { ...AgentMemory } } } }',
  [AGENT_MEMORY],
)
const TODOS = graphql(
  'query McpOpenTodos($filter: MemoryFilter) { memories: openTodos(filter: $filter, first: 50) { edges { node { ...AgentMemory } } } }',
  [AGENT_MEMORY],
)
const SESSIONS = graphql(
  'query McpActiveSessions($filter: MemoryFilter) { memories: activeSessions(filter: $filter, first: 1) { edges { node { ...AgentMemory } } } }',
  [AGENT_MEMORY],
)

interface Page {
  readonly memories: { readonly edges: readonly { readonly node: ResultOf<typeof AGENT_MEMORY> }[] }
}

const textOf = ({ memories: { edges } }: Page, hint: string): string =>
  edges.length === 0 ? hint : quoting(edges.map(({ node }) => memoryLines(node)).join('\n\n'))

/** The lists that agents may read. In a context, only what belongs to it. A new one is an entry here. */
export const RESOURCES: readonly ResourceDefinition[] = [
  {
    name: 'recent',
    uri: 'daybook://recent',
    title: 'Recent memories',
    description: 'The 20 newest memories.',
    read: async (session) => textOf(await session.ask(RECENT, here(session)), 'There are no memories yet.'),
  },
  {
    name: 'open-todos',
    uri: 'daybook://todos/open',
    title: 'Open todos',
    description: 'Todos that are not resolved, the newest first.',
    read: async (session) => textOf(await session.ask(TODOS, here(session)), 'There are no open todos.'),
  },
  {
    name: 'active-session',
    uri: 'daybook://session/active',
    title: 'Active session',
    description: 'The newest session that is not closed.',
    read: async (session) => textOf(await session.ask(SESSIONS, here(session)), 'No session is active.'),
  },
]

const here = ({ context }: { readonly context: string | null }) => ({ filter: { context } })
