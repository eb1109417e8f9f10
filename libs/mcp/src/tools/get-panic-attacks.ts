import { graphql } from '@daybook/api/graphql'
import { z } from 'zod'
import { LISTED_OUTPUT, listedAnswer } from '../answers/listed.ts'
import { AGENT_MEMORY } from '../answers/memory.ts'
import { limit } from './search-arguments.ts'
import { tool } from './tool.ts'

const ATTACKS = graphql(
  'query McpPanicAttacks($limit: Int) { memories: panicAttacks(limit: $limit) { ...AgentMemory } }',
  [AGENT_MEMORY],
)

/** Panic attacks by date. */
export const getPanicAttacks = tool({
  name: 'get_panic_attacks',
  toolset: 'people',
  title: 'List panic attacks',
  description: 'Lists memories of the category emotion that speak of panic, the newest first.',
  effect: 'reads',
  input: z.object({ limit: limit(20) }),
  output: LISTED_OUTPUT,
  example: () => ({}),
  run: async (input, session) =>
    listedAnswer((await session.ask(ATTACKS, input)).memories, 'No panic attacks are remembered.'),
})
