import { graphql } from '@daybook/api/graphql'
import { z } from 'zod'
import { NAMED_OUTPUT, namedAnswer } from '../answers/named.ts'
import { limit } from './search-arguments.ts'
import { tool } from './tool.ts'

const FRIENDS = graphql(
  'query McpFriends($limit: Int) { friends(limit: $limit) { name summary importance memories memory { id } } }',
)

/** The people that are known. */
export const getAllFriends = tool({
  name: 'get_all_friends',
  toolset: 'people',
  title: 'List people',
  description: 'Lists the people that memories are about, the most important first.',
  effect: 'reads',
  input: z.object({ limit: limit(20) }),
  output: NAMED_OUTPUT,
  example: () => ({ limit: 10 }),
  run: async (input, session) =>
    namedAnswer(
      (await session.ask(FRIENDS, input)).friends,
      'No people are known: remember them with the category person.',
    ),
})
