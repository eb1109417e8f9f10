import { graphql } from '@daybook/api/graphql'
import { safeLine } from '@daybook/memory/safe-text'
import { z } from 'zod'
import { context } from './search-arguments.ts'
import { tool } from './tool.ts'

const LABELS = graphql(`
  query McpLabels($filter: MemoryFilter, $values: Int) {
    facets(filter: $filter, values: $values) { labels { value count } }
  }`)

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
