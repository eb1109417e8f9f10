import * as queries from '@daybook/api/queries'
import { safeLine } from '@daybook/memory/safe-text'
import { z } from 'zod'
import { AGENT_MEMORY, LISTED_OUTPUT, listedAnswer } from '../answers/memory.ts'
import { context, FILTER, filterOf, limit } from './search.ts'
import { tool } from './tool.ts'

const LIST = queries.memories('edges { node { ...AgentMemory } } pageInfo { hasNextPage endCursor }', [
  AGENT_MEMORY,
])

/** Memories without a question, the newest first. */
export const list = tool({
  name: 'list',
  toolset: 'core',
  title: 'List memories',
  description: 'Lists memories, the newest first, by what they have. To find by a question: search.',
  effect: 'reads',
  input: z.object({
    kinds: FILTER.kinds,
    labelsAny: FILTER.labelsAny,
    context,
    createdAfter: FILTER.createdAfter,
    limit: limit(20),
    after: z.string().optional(),
  }),
  output: LISTED_OUTPUT.extend({ next: z.string().optional() }),
  example: () => ({ kinds: ['decision'], limit: 5 }),
  async run({ limit: first, after, ...given }, session) {
    const { memories } = await session.ask(LIST, {
      filter: filterOf(given),
      first,
      after,
      atLeast: session.receipts.newest,
    })
    const { edges, pageInfo } = memories
    const listed = listedAnswer(
      edges.map(({ node }) => node),
      'There are no such memories.',
    )
    const next = pageInfo.hasNextPage ? pageInfo.endCursor : null
    if (next == null) return listed
    return { ...listed, data: { ...listed.data, next }, text: `${listed.text}\nMore: after ${next}` }
  },
})

const TYPES = queries.facets('kinds { value count } entityTypes { value count }')

const counted = z.array(z.looseObject({ type: z.string(), count: z.int() }))

/** Kinds and types of entities with counts. */
export const listTypes = tool({
  name: 'list_types',
  toolset: 'core',
  title: 'List kinds and entity types',
  description: 'Lists which kinds of memory and types of entity there are, with counts.',
  effect: 'reads',
  input: z.object({ context }),
  output: z.looseObject({ kinds: counted, entityTypes: counted }),
  example: () => ({}),
  async run({ context: within }, session) {
    const { facets } = await session.ask(TYPES, { filter: { context: within }, values: 1000 })
    const kinds = facets.kinds.map(({ value, count }) => ({ type: value.toLowerCase(), count }))
    const entityTypes = facets.entityTypes.map(({ value, count }) => ({ type: value, count }))
    const lines = (of: typeof kinds) => of.map(({ type, count }) => `  ${safeLine(type)}: ${count}`)
    return {
      data: { kinds, entityTypes },
      text:
        kinds.length === 0
          ? 'There are no memories yet.'
          : [
              'Kinds:',
              ...lines(kinds),
              ...(entityTypes.length === 0 ? [] : ['Entity types:', ...lines(entityTypes)]),
            ].join('\n'),
      quotes: entityTypes.length > 0,
    }
  },
})

const LABELS = queries.facets('labels { value count }')

/** Labels with counts. */
export const listLabels = tool({
  name: 'list_labels',
  toolset: 'core',
  title: 'List labels',
  description: 'Lists the labels in use with counts, the most used first.',
  effect: 'reads',
  input: z.object({ context, limit: z.int().min(1).max(1000).default(50) }),
  output: z.looseObject({ labels: z.array(z.object({ label: z.string(), count: z.int() })) }),
  example: () => ({}),
  async run({ context: within, limit: values }, session) {
    const { facets } = await session.ask(LABELS, { filter: { context: within }, values })
    const labels = facets.labels.map(({ value, count }) => ({ label: value, count }))
    return {
      data: { labels },
      text:
        labels.length === 0
          ? 'No memory has a label.'
          : labels.map(({ label, count }) => `  ${safeLine(label)}: ${count}`).join('\n'),
      quotes: labels.length > 0,
    }
  },
})
