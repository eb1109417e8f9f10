import { checkFilter } from '@daybook/memory/filter'
import { listInterests, listPeople, panicAttacks, recentEvents } from '@daybook/search/people/named'
import { searchByEmotion, searchByPerson } from '@daybook/search/people/search-by-person'
import {
  DECISION,
  DOCUMENT,
  ENTITY,
  type KeyedKind,
  POP,
  RECALL,
  searchByKey,
} from '@daybook/search/search-by-key'
import type { Context } from '../../context.ts'
import { countAccess } from '../../count-access.ts'
import { searchContextOf } from '../../open-search-engines.ts'
import { builder } from '../builder.ts'
import { listCost, SEARCH_COST } from '../limits.ts'
import { memoryInterface } from '../types/memory.ts'
import { memoryFilter } from '../types/memory-filter.ts'
import { interest, person } from '../types/page.ts'
import { searchResult } from '../types/search-result.ts'

interface ListArguments {
  readonly filter?: Parameters<typeof checkFilter>[0]
  readonly limit?: number | null | undefined
}

const requestOf = ({ filter, limit }: ListArguments, usual: number) => ({
  filter: checkFilter(filter),
  limit: limit ?? usual,
})

const partsOf = async (context: Context) => ({ scope: context.project, readModel: await context.readModel() })

/** How many are listed unless a caller says. */
const LISTED = 20

const LIMIT = '1 to 100.'

builder.queryField('friends', (t) =>
  t.field({
    type: [person],
    complexity: ({ limit }) => listCost(limit ?? LISTED),
    description:
      'The people in memories of the category person, and in entities of the type person; the most important first. Memories of one name are one person. Of more than 1,000 such memories the most important are looked at.',
    args: {
      limit: t.arg.int({ defaultValue: LISTED, description: LIMIT }),
      filter: t.arg({ type: memoryFilter }),
    },
    resolve: async (_, args, context) => listPeople(await partsOf(context), requestOf(args, LISTED)),
  }),
)

builder.queryField('interests', (t) =>
  t.field({
    type: [interest],
    complexity: ({ limit }) => listCost(limit ?? LISTED),
    description:
      'The interests in memories of the category interest, the most important first. Memories of one name are one interest.',
    args: {
      limit: t.arg.int({ defaultValue: LISTED, description: LIMIT }),
      filter: t.arg({ type: memoryFilter }),
    },
    resolve: async (_, args, context) => listInterests(await partsOf(context), requestOf(args, LISTED)),
  }),
)

builder.queryField('panicAttacks', (t) =>
  t.field({
    type: [memoryInterface],
    complexity: ({ limit }) => listCost(limit ?? LISTED),
    description:
      'Memories of the category emotion that speak of panic, the newest first by when it happened.',
    args: {
      limit: t.arg.int({ defaultValue: LISTED, description: LIMIT }),
      filter: t.arg({ type: memoryFilter }),
    },
    resolve: async (_, args, context) => panicAttacks(await partsOf(context), requestOf(args, LISTED)),
  }),
)

builder.queryField('recentEvents', (t) =>
  t.field({
    type: [memoryInterface],
    complexity: ({ limit }) => listCost(limit ?? LISTED),
    description:
      'Memories of the category event, the newest first by when it happened. Events that lie ahead are left out.',
    args: {
      limit: t.arg.int({ defaultValue: LISTED, description: LIMIT }),
      filter: t.arg({ type: memoryFilter }),
    },
    resolve: async (_, args, context) => recentEvents(await partsOf(context), requestOf(args, LISTED)),
  }),
)

builder.queryField('searchByPerson', (t) =>
  t.field({
    type: searchResult,
    complexity: ({ limit }) => listCost(limit, SEARCH_COST),
    description:
      'Memories that mention a person, those first that are most about them. The name must stand in the title or text as whole words; case and accents do not matter.',
    args: {
      name: t.arg.string({ required: true }),
      limit: t.arg.int({ defaultValue: 10, description: LIMIT }),
      filter: t.arg({ type: memoryFilter }),
    },
    resolve: async (_, args, context) =>
      countAccess(
        context,
        await searchByPerson(await searchContextOf(context), args.name, requestOf(args, 10)),
      ),
  }),
)

builder.queryField('searchByEmotion', (t) =>
  t.field({
    type: searchResult,
    complexity: ({ limit }) => listCost(limit, SEARCH_COST),
    description: 'Memories of the category emotion, by the meaning of a feeling: "happy" finds joy.',
    args: {
      emotion: t.arg.string({ required: true }),
      limit: t.arg.int({ defaultValue: 10, description: LIMIT }),
      filter: t.arg({ type: memoryFilter }),
    },
    resolve: async (_, args, context) =>
      countAccess(
        context,
        await searchByEmotion(await searchContextOf(context), args.emotion, requestOf(args, 10)),
      ),
  }),
)

/** How many hits a look-up gives by default. */
const RECALL_LIMIT = 5

/** Adds a look-up of memories by what names them exactly. */
function addLookUp(name: string, argument: string, kind: KeyedKind, description: string): void {
  builder.queryField(name, (t) =>
    t.field({
      type: searchResult,
      complexity: ({ limit }) => listCost(Number(limit ?? RECALL_LIMIT), SEARCH_COST),
      description,
      args: {
        [argument]: t.arg.string({ required: true }),
        limit: t.arg.int({ defaultValue: RECALL_LIMIT }),
      },
      resolve: async (_, { [argument]: wanted, limit }, context) =>
        countAccess(
          context,
          await searchByKey(
            await searchContextOf(context),
            kind,
            String(wanted),
            Number(limit ?? RECALL_LIMIT),
          ),
        ),
    }),
  )
}

addLookUp('recall', 'key', RECALL, 'Insights by their key: the exact one, else a search among insights.')

addLookUp('pop', 'name', POP, 'Stashes by their name: the exact one, else a search among stashes.')

addLookUp(
  'recallDecision',
  'topic',
  DECISION,
  'Decisions by their topic: those with exactly this topic, else a search among decisions.',
)

addLookUp(
  'recallEntity',
  'name',
  ENTITY,
  'Entities by their name: those with exactly this name, else a search among entities.',
)

addLookUp(
  'recallDocument',
  'id',
  DOCUMENT,
  'A document by your own id (externalId): exactly that one, else a search among documents.',
)
