import { graphql } from '@daybook/api/graphql'
import { z } from 'zod'
import { FOUND, FOUND_OUTPUT, foundAnswer } from '../answers/found.ts'
import { FILTER, filterOf, limit } from './search-arguments.ts'
import { tool } from './tool.ts'

/** What the tool asks of the API. */
export const SEARCH = graphql(
  `query McpSearch(
    $query: String!, $filter: MemoryFilter, $mode: SearchMode, $limit: Int, $minScore: Float, $acrossVersions: Boolean,
    $asOf: DateTime, $atLeast: Int, $projects: [String!]
  ) {
    search(
      query: $query, filter: $filter, mode: $mode, limit: $limit, minScore: $minScore, acrossVersions: $acrossVersions,
      asOf: $asOf, atLeast: $atLeast, projects: $projects
    ) { ...Found }
  }`,
  [FOUND],
)

/** Search in everything. */
export const search = tool({
  name: 'search',
  toolset: 'core',
  title: 'Search memories',
  description:
    'Finds memories by words and by meaning, the best first. Ask before you decide, plan or repeat work. "quotes" hold words together, -word leaves out, OR is or.',
  effect: 'reads',
  input: z.object({
    query: z.string(),
    ...FILTER,
    mode: z.enum(['HYBRID', 'SEMANTIC', 'KEYWORD']).optional(),
    limit: limit(10),
    minScore: z.number().min(0).max(1).optional(),
    acrossVersions: z.boolean().optional().describe('also texts that were revised since'),
    asOf: z.string().optional().describe('what was known then, RFC 3339'),
    atLeast: z.int().optional().describe('sequence to wait for; your own writes are waited for anyway'),
    projects: z.array(z.string()).optional().describe('instead of this project'),
  }),
  output: FOUND_OUTPUT,
  example: () => ({ query: 'token security', kinds: ['insight', 'decision'], limit: 5 }),
  async run(
    { query, mode, limit: most, minScore, acrossVersions, asOf, atLeast, projects, ...given },
    session,
  ) {
    // Projects count for themselves, and the past does not change.
    const own = projects === undefined && asOf === undefined ? session.receipts.newest : null
    const { search: found } = await session.ask(SEARCH, {
      query,
      filter: filterOf(given),
      mode,
      limit: most,
      minScore,
      acrossVersions,
      asOf,
      atLeast: atLeast ?? own,
      projects,
    })
    return foundAnswer(found)
  },
})
