import type { InputOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { KIND_NAMES } from '@daybook/memory/kinds/index'
import { parseSince } from '@daybook/runtime/units'
import { z } from 'zod'
import { FOUND, FOUND_OUTPUT, foundAnswer } from '../answers/memory.ts'
import { tool } from './tool.ts'

/** Arguments that several tools have in common. */

const names = z.array(z.string()).optional()

/** A moment, as models give it. A date is its first moment in UTC; what cannot be read, the API refuses. */
export const moment = z.string().transform((given) => parseSince(given, Date.now()) ?? given)

/** A moment that may be left out, with what it is for. */
export const time = (description: string) => moment.optional().describe(description)

/** A kind of memory, in small letters. */
export const kind = z.enum(KIND_NAMES as [string, ...string[]])

/** How many hits at most. */
export const limit = (usual: number) => z.int().min(1).max(100).default(usual)

/** The id of a memory. */
export const id = z.string()

/** Where to look. */
export const context = z.string().optional().describe('namespace, such as a repository')

/** The arguments that narrow a search, by their names in `MemoryFilter`. A new one is an entry here. */
export const FILTER = {
  kinds: z.array(kind).optional(),
  labelsAny: names,
  labelsAll: names,
  categories: names,
  minImportance: z.int().min(0).max(10).optional(),
  minTrust: z.enum(['LOW', 'NORMAL', 'HIGH']).optional(),
  context,
  agent: z.string().optional(),
  createdAfter: time('this and other times: 2026-11-21, 2h, 7d'),
  createdBefore: moment.optional(),
  occurredAfter: moment.optional(),
  occurredBefore: moment.optional(),
  includeForgotten: z.boolean().optional(),
} satisfies Record<keyof InputOf<'MemoryFilter'>, z.ZodType>

/** The filter among a tool's arguments, as the API takes it. */
export function filterOf(given: Readonly<Record<string, unknown>>): InputOf<'MemoryFilter'> {
  const entries = Object.keys(FILTER).flatMap((name) =>
    given[name] === undefined
      ? []
      : [[name, name === 'kinds' ? apiKinds(given[name]) : given[name]] as const],
  )
  return Object.fromEntries(entries) as InputOf<'MemoryFilter'>
}

const apiKinds = (kinds: unknown) => (kinds as readonly string[]).map((one) => one.toUpperCase())

/** What the tool asks of the API. */
export const SEARCH = queries.search('...Found', [FOUND])

/** The same of several projects. */
const SEARCH_SEVERAL = queries.search('...Found places: hits { project { name } }', [FOUND])

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
    asOf: time('what was known then'),
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
    const several = projects?.length === 0 ? undefined : projects
    const own = several === undefined && asOf === undefined ? session.receipts.newest : null
    const asked = {
      query,
      filter: filterOf(given),
      mode,
      limit: most,
      minScore,
      acrossVersions,
      asOf,
      atLeast: atLeast ?? own,
    }
    if (several === undefined) return foundAnswer((await session.ask(SEARCH, asked)).search)
    const { search: found } = await session.ask(SEARCH_SEVERAL, { ...asked, projects: several })
    return foundAnswer(
      found,
      found.places.map(({ project }) => project.name),
    )
  },
})
