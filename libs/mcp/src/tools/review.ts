import { enumValue, type ResultOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { safeLine } from '@daybook/memory/safe-text'
import { SETTLEMENTS, type Settlement, SUSPICIONS, type Suspicion } from '@daybook/memory/settle'
import { z } from 'zod'
import { AGENT_MEMORY, memoryLines, shownMemory } from '../answers/memory.ts'
import { succeeded } from '../tool-result.ts'
import { context, id } from './search.ts'
import { tool } from './tool.ts'

const LIST = queries.suspected(
  `edges { node { kind similarity differences { older newer } older { ...AgentMemory } newer { ...AgentMemory } } }
  pageInfo { hasNextPage endCursor }`,
  [AGENT_MEMORY],
)

const SETTLE = mutations.settle('events sequence since correlationId')

type Pair = ResultOf<typeof LIST>['suspected']['edges'][number]['node']

/** List memories that seem to contradict or repeat each other, and settle them. */
export const review = tool({
  name: 'review',
  toolset: 'ops',
  title: 'Review suspected contradictions',
  description:
    'Lists pairs of memories that seem to contradict, replace or repeat each other; or settles one: supersede (the newer replaces the older), keep-both, merge (the newer takes over labels and metadata, the older is forgotten), forget (the older). Suspicions may be wrong: read both, and ask the user if it is not clear. Undo takes it back.',
  effect: 'changes',
  idempotent: true,
  input: z.object({
    settle: z
      .object({ older: id, newer: id, as: z.enum(Object.keys(SETTLEMENTS) as Settlement[]) })
      .optional()
      .describe('instead of listing'),
    suspicion: z.enum(Object.keys(SUSPICIONS) as Suspicion[]).optional(),
    context,
    limit: z.int().min(1).max(100).default(10),
    after: z.string().optional().describe('the `next` of the page before'),
  }),
  output: z.looseObject({ pairs: z.array(z.looseObject({ kind: z.string() })).optional() }),
  example: () => ({ suspicion: 'contradicts' as const, context: 'shop' }),
  async run({ settle, suspicion, context: within, limit, after }, session) {
    if (settle !== undefined) {
      const { older, newer, as } = settle
      const { result } = await session.ask(SETTLE, { older, newer, as: enumValue(as) })
      const { events, sequence, since, correlationId } = succeeded(result)
      return {
        data: { events, sequence, ...(since !== null && { since, correlationId }) },
        text:
          since === null
            ? 'It was so already. Nothing was written.'
            : `Settled: ${as}, ${events} ${events === 1 ? 'event' : 'events'} (sequence ${sequence}). It can be taken back with undo since ${since}.`,
      }
    }
    const { suspected } = await session.ask(LIST, {
      kind: suspicion && enumValue(suspicion),
      filter: { context: within },
      first: limit,
      after,
    })
    const pairs = suspected.edges.map(({ node }) => node)
    const next = suspected.pageInfo.hasNextPage ? suspected.pageInfo.endCursor : null
    const more = next === null ? [] : [`There may be more: the same with after "${next}".`]
    return {
      data: { pairs: pairs.map(shownPair), ...(next !== null && { next }) },
      text: [...(pairs.length === 0 ? ['Nothing is suspected here.'] : pairs.map(pairLines)), ...more].join(
        '\n\n',
      ),
      quotes: pairs.length > 0,
    }
  },
})

const shownPair = ({ kind, similarity, differences, older, newer }: Pair) => ({
  kind: kind.toLowerCase(),
  ...(similarity !== null && { similarity: Number(similarity.toFixed(4)) }),
  differences: differences.map((one) => ({ older: one.older, newer: one.newer })),
  older: shownMemory(older),
  newer: shownMemory(newer),
})

function pairLines({ kind, differences, older, newer }: Pair, at: number): string {
  const differ = differences.map((one) => `  older: ${safeLine(one.older)} | newer: ${safeLine(one.newer)}`)
  return [
    `${at + 1}. ${kind.toLowerCase()}`,
    'older:',
    memoryLines(older),
    'newer:',
    memoryLines(newer),
    ...(differ.length === 0 ? [] : ['The words that differ:', ...differ]),
  ].join('\n')
}
