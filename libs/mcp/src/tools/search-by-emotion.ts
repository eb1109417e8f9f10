import { graphql } from '@daybook/api/graphql'
import { z } from 'zod'
import { FOUND, FOUND_OUTPUT, foundAnswer } from '../answers/found.ts'
import { limit } from './search-arguments.ts'
import { tool } from './tool.ts'

const EMOTION = graphql(
  'query McpEmotion($emotion: String!, $limit: Int) { found: searchByEmotion(emotion: $emotion, limit: $limit) { ...Found } }',
  [FOUND],
)

/** Memories of a feeling. */
export const searchByEmotion = tool({
  name: 'search_by_emotion',
  toolset: 'people',
  title: 'Search by emotion',
  description: 'Finds memories of the category emotion by the meaning of a feeling: happy finds joy.',
  effect: 'reads',
  input: z.object({ emotion: z.string(), limit: limit(10) }),
  output: FOUND_OUTPUT,
  example: () => ({ emotion: 'joy' }),
  run: async (input, session) => foundAnswer((await session.ask(EMOTION, input)).found),
})
