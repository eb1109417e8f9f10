import * as queries from '@daybook/api/queries'
import { z } from 'zod'
import { NOTICE } from '../answers/memory.ts'
import { FILTER, filterOf } from './search.ts'
import { tool } from './tool.ts'

const CONTEXT = queries.contextFor('text tokens degraded message sequence entries { memory { id } }')

const { kinds, labelsAny, context } = FILTER

/** The best memories for a task, within a budget. */
export const contextFor = tool({
  name: 'context_for',
  toolset: 'core',
  title: 'Load context',
  description:
    'Packs what is known about a task or question into one text within a budget of tokens. Good at the start of work.',
  effect: 'reads',
  input: z.object({
    query: z.string(),
    tokenBudget: z.int().min(1).max(100_000).default(2_000),
    order: z.enum(['SCORE', 'TIME']).optional(),
    kinds,
    labelsAny,
    context,
  }),
  output: z.looseObject({ text: z.string(), ids: z.array(z.string()), tokens: z.int() }),
  example: () => ({ query: 'how do we handle authentication?', tokenBudget: 500 }),
  async run({ query, tokenBudget, order, ...given }, session) {
    const { contextFor: packed } = await session.ask(CONTEXT, {
      query,
      tokenBudget,
      filter: filterOf(given),
      order,
      atLeast: session.receipts.newest,
    })
    const { text, tokens, sequence, message, degraded, entries } = packed
    const missing = degraded.map((one) => `Note: ${one}`)
    const said = text === '' ? (message ?? 'Nothing is known about this.') : `${NOTICE}\n\n${text}`
    return {
      data: {
        text: text === '' ? '' : `${NOTICE}\n\n${text}`,
        ids: entries.flatMap(({ memory }) => (memory === null ? [] : [memory.id])),
        tokens,
        sequence,
        ...(message !== null && { message }),
        ...(degraded.length > 0 && { degraded }),
      },
      text: [...missing, said].join('\n'),
    }
  },
})
