import * as queries from '@daybook/api/queries'
import { z } from 'zod'
import { FOUND, FOUND_OUTPUT, foundAnswer } from '../answers/memory.ts'
import { FILTER, filterOf } from './search.ts'
import { tool } from './tool.ts'

const SIMILAR = queries.similar('...Found', [FOUND])

const { kinds, context } = FILTER

/** The nearest texts by meaning alone. */
export const similaritySearch = tool({
  name: 'similarity_search',
  toolset: 'documents',
  title: 'Similarity search',
  description: 'Finds the passages nearest in meaning to a text, whatever their words.',
  effect: 'reads',
  input: z.object({ query: z.string(), top_k: z.int().min(1).max(100).default(5), kinds, context }),
  output: FOUND_OUTPUT,
  example: () => ({ query: 'how tokens are checked', top_k: 3 }),
  async run({ query, top_k: topK, ...given }, session) {
    const { similar } = await session.ask(SIMILAR, { text: query, topK, filter: filterOf(given) })
    return foundAnswer(similar)
  },
})
