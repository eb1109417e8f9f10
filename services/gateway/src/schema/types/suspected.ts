import { ConflictError, LimitExceededError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { checkFilter } from '@daybook/memory/filter'
import { SETTLEMENTS, SUSPICIONS } from '@daybook/memory/settle'
import { type PairPlace, readSuspected, type SuspectedPair } from '@daybook/search/suspected/read-suspected'
import type { Difference } from '@daybook/search/suspected/suspect'
import { type Settled, settle } from '../../settle.ts'
import { builder } from '../builder.ts'
import { listCost, SEARCH_COST } from '../limits.ts'
import { enumOfWords } from './enum-of-words.ts'
import { memoryInterface } from './memory.ts'
import { memoryFilter } from './memory-filter.ts'
import { checkFirst } from './page.ts'

const suspicion = enumOfWords(
  'Suspicion',
  SUSPICIONS,
  'What two memories are suspected of. Rules over the words that differ say so, and they may be wrong: nothing follows from it until somebody settles the two.',
)

const difference = builder.objectRef<Difference>('Difference').implement({
  description: 'The words at one place of two texts.',
  fields: (t) => ({
    older: t.exposeString('older', { description: 'Empty if the newer one has more words there.' }),
    newer: t.exposeString('newer', { description: 'Empty if the older one has more words there.' }),
  }),
})

const suspectedPair = builder.objectRef<SuspectedPair>('SuspectedPair').implement({
  description: 'Two memories of one context that somebody should look at.',
  fields: (t) => ({
    kind: t.field({ type: suspicion, resolve: ({ kind }) => kind }),
    older: t.field({
      type: memoryInterface,
      resolve: ({ older }) => older,
      description: 'What happened first, or was written first if nobody said when it happened.',
    }),
    newer: t.field({ type: memoryInterface, resolve: ({ newer }) => newer }),
    differences: t.field({
      type: [difference],
      complexity: 1,
      resolve: ({ differences }) => [...differences],
      description: 'The words that differ, in the order of the texts; none for a duplicate.',
    }),
    similarity: t.exposeFloat('similarity', {
      nullable: true,
      description: 'The cosine of their vectors, 0 to 1; null while one has none.',
    }),
  }),
})

const suspectedConnection = builder.connectionObject({ type: suspectedPair, name: 'SuspectedConnection' })

const cursorOf = ({ later, earlier }: PairPlace): string => `${later}.${earlier}`

/** @throws ValidationError */
function placeOf(cursor: string | null | undefined): PairPlace | null {
  if (cursor == null) return null
  const [, later, earlier] = /^(\d{1,15})\.(\d{1,15})$/u.exec(cursor) ?? []
  if (later === undefined) throw new ValidationError('after', 'is not a cursor of this list')
  return { later: Number(later), earlier: Number(earlier) }
}

builder.queryField('suspected', (t) =>
  t.field({
    type: suspectedConnection,
    // It compares up to 200 memories with their neighbours.
    complexity: ({ first }) => listCost(first, 4 * SEARCH_COST),
    description:
      'Pairs of memories that seem to say the same or to contradict each other, the latest written first, to be settled with `settle`. What is forgotten, superseded or settled is not among them. A page may be short, or even empty, while `pageInfo.hasNextPage` says that there are older memories to look at.',
    args: {
      kind: t.arg({ type: suspicion, description: 'Only these. Default: all.' }),
      filter: t.arg({
        type: memoryFilter,
        description: 'Selects the memory of a pair that was written later.',
      }),
      first: t.arg.int({ defaultValue: 20 }),
      after: t.arg.string(),
    },
    resolve: async (_, { kind, filter, first, after }, { project, readModel }) => {
      const { pairs, next } = await readSuspected(
        { scope: project, readModel: await readModel() },
        {
          kind: kind ?? null,
          filter: checkFilter(filter),
          first: checkFirst(first, { fallback: 20 }),
          after: placeOf(after),
        },
      )
      const edges = pairs.map((node) => ({ node, cursor: cursorOf(node.place) }))
      return {
        edges,
        pageInfo: {
          startCursor: edges[0]?.cursor ?? null,
          endCursor: next === null ? (edges.at(-1)?.cursor ?? null) : cursorOf(next),
          hasNextPage: next !== null,
          hasPreviousPage: after != null,
        },
      }
    },
  }),
)

const settlement = enumOfWords('Settlement', SETTLEMENTS, 'How two memories are settled.')

const settled = builder.objectRef<Settled>('Settled').implement({
  description: 'Two memories as they are now that they are settled.',
  fields: (t) => ({
    older: t.field({ type: memoryInterface, resolve: ({ older }) => older }),
    newer: t.field({ type: memoryInterface, resolve: ({ newer }) => newer }),
    events: t.exposeInt('events', { description: 'How many were written; 0 if it was so already.' }),
    sequence: t.int({
      resolve: (both) => last(both).sequence,
      description: 'The receipt: the sequence of the newest event of the two, which is committed.',
    }),
    hash: t.string({ resolve: (both) => last(both).hash, description: 'The hash of that event.' }),
    since: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: ({ since }) => since,
      description:
        'When it was written; null if nothing was. `undo(filter: {}, since:, correlationId:)` takes it back.',
    }),
    correlationId: t.string({
      resolve: (_, __, { metadata }) => metadata.correlationId ?? '',
      description: 'Of this request: its `x-correlation-id`, or one that was made for it.',
    }),
  }),
})

const last = ({ older, newer }: Settled) => (older.sequence > newer.sequence ? older : newer)

builder.mutationField('settle', (t) =>
  t.field({
    type: builder.errorUnion('SettleResult', {
      types: [settled, ValidationError, ConflictError, NotFoundError, LimitExceededError],
      resolveType: () => 'Settled',
    }),
    description:
      'Settles two memories, suspected or not. The same call again changes nothing. If the older one is right, give the two the other way round.',
    args: {
      older: t.arg.id({ required: true, description: 'The memory that gives way.' }),
      newer: t.arg.id({ required: true, description: 'The memory that stays.' }),
      as: t.arg({ type: settlement, required: true }),
    },
    resolve: (_, { older, newer, as }, context) => settle(context, { older, newer }, as),
  }),
)
