import { graphql } from '@daybook/api/graphql'
import { z } from 'zod'
import { NAMED_OUTPUT, namedAnswer } from '../answers/named.ts'
import { limit } from './search-arguments.ts'
import { tool } from './tool.ts'

const INTERESTS = graphql(
  'query McpInterests($limit: Int) { interests(limit: $limit) { name summary importance memories memory { id } } }',
)

/** The interests that are known. */
export const getInterests = tool({
  name: 'get_interests',
  toolset: 'people',
  title: 'List interests',
  description: 'Lists interests and hobbies that memories tell of, the most important first.',
  effect: 'reads',
  input: z.object({ limit: limit(20) }),
  output: NAMED_OUTPUT,
  example: () => ({}),
  run: async (input, session) =>
    namedAnswer(
      (await session.ask(INTERESTS, input)).interests,
      'No interests are known: remember them with the category interest.',
    ),
})
