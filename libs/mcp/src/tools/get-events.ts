import { graphql } from '@daybook/api/graphql'
import { z } from 'zod'
import { LISTED_OUTPUT, listedAnswer } from '../answers/listed.ts'
import { AGENT_MEMORY } from '../answers/memory.ts'
import { limit } from './search-arguments.ts'
import { tool } from './tool.ts'

const EVENTS = graphql(
  'query McpEvents($limit: Int) { memories: recentEvents(limit: $limit) { ...AgentMemory } }',
  [AGENT_MEMORY],
)

/** What happened lately. */
export const getEvents = tool({
  name: 'get_events',
  toolset: 'people',
  title: 'List recent events',
  description: 'Lists memories of the category event, the newest first by when it happened.',
  effect: 'reads',
  input: z.object({ limit: limit(20) }),
  output: LISTED_OUTPUT,
  example: () => ({ limit: 5 }),
  run: async (input, session) =>
    listedAnswer(
      (await session.ask(EVENTS, input)).memories,
      'No events are known: remember them with the category event and occurredAt.',
    ),
})
