import { graphql } from '@daybook/api/graphql'
import { safeLine } from '@daybook/memory/safe-text'
import { z } from 'zod'
import { context } from './search-arguments.ts'
import { tool } from './tool.ts'

const TYPES = graphql(`
  query McpTypes($filter: MemoryFilter) {
    facets(filter: $filter, values: 1000) { kinds { value count } entityTypes { value count } }
  }`)

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
    const { facets } = await session.ask(TYPES, { filter: { context: within } })
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
