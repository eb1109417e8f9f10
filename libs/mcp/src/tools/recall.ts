import { graphql } from '@daybook/api/graphql'
import { z } from 'zod'
import { FOUND, FOUND_OUTPUT, foundAnswer } from '../answers/found.ts'
import { limit } from './search-arguments.ts'
import { tool } from './tool.ts'

const RECALL = graphql(
  'query McpRecall($key: String!, $limit: Int) { found: recall(key: $key, limit: $limit) { ...Found } }',
  [FOUND],
)

/** Insights by key. */
export const recall = tool({
  name: 'recall',
  toolset: 'core',
  title: 'Recall an insight',
  description: 'Gets the insight with exactly this key; else searches insights for it.',
  effect: 'reads',
  input: z.object({ key: z.string(), limit: limit(5) }),
  output: FOUND_OUTPUT,
  example: () => ({ key: 'jwt-validation' }),
  run: async (input, session) => foundAnswer((await session.ask(RECALL, input)).found),
})
