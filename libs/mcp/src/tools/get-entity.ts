import { graphql } from '@daybook/api/graphql'
import { z } from 'zod'
import { FOUND, FOUND_OUTPUT, foundAnswer } from '../answers/found.ts'
import { limit } from './search-arguments.ts'
import { tool } from './tool.ts'

const ENTITY = graphql(
  'query McpEntity($name: String!, $limit: Int) { found: recallEntity(name: $name, limit: $limit) { ...Found } }',
  [FOUND],
)

/** Entities by name. */
export const getEntity = tool({
  name: 'get_entity',
  toolset: 'people',
  title: 'Get an entity',
  description:
    'Gets the person, place, system or other thing with exactly this name; else searches entities.',
  effect: 'reads',
  input: z.object({ name: z.string(), limit: limit(5) }),
  output: FOUND_OUTPUT,
  example: () => ({ name: 'Ada Lovelace' }),
  run: async (input, session) => foundAnswer((await session.ask(ENTITY, input)).found),
})
