import { graphql } from '@daybook/api/graphql'
import { z } from 'zod'
import { FOUND, FOUND_OUTPUT, foundAnswer } from '../answers/found.ts'
import { limit } from './search-arguments.ts'
import { tool } from './tool.ts'

const POP = graphql(
  'query McpPop($name: String!, $limit: Int) { found: pop(name: $name, limit: $limit) { ...Found } }',
  [FOUND],
)

/** Stashes by name. */
export const pop = tool({
  name: 'pop',
  toolset: 'core',
  title: 'Pick up a stash',
  description:
    'Gets the stash (work put aside) with exactly this name; else searches stashes for it. The stash stays.',
  effect: 'reads',
  input: z.object({ name: z.string(), limit: limit(5) }),
  output: FOUND_OUTPUT,
  example: () => ({ name: 'auth-refactor' }),
  run: async (input, session) => foundAnswer((await session.ask(POP, input)).found),
})
