import { graphql } from '@daybook/api/graphql'
import { z } from 'zod'
import { FOUND, FOUND_OUTPUT, foundAnswer } from '../answers/found.ts'
import { limit } from './search-arguments.ts'
import { tool } from './tool.ts'

const PERSON = graphql(
  'query McpPerson($name: String!, $limit: Int) { found: searchByPerson(name: $name, limit: $limit) { ...Found } }',
  [FOUND],
)

/** Memories that mention somebody. */
export const searchByPerson = tool({
  name: 'search_by_person',
  toolset: 'people',
  title: 'Search by person',
  description: 'Finds memories that mention a person by name, those most about them first.',
  effect: 'reads',
  input: z.object({ name: z.string(), limit: limit(10) }),
  output: FOUND_OUTPUT,
  example: () => ({ name: 'Ada' }),
  run: async (input, session) => foundAnswer((await session.ask(PERSON, input)).found),
})
