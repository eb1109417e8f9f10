import { checkFilter } from '@daybook/memory/filter'
import type { ContextEntry, LeftOut, PackedContext } from '@daybook/search/context/context-request'
import { packContext } from '@daybook/search/context/pack-context'
import { readAtLeast } from '../../find-memories.ts'
import { searchContextOf } from '../../open-search-engines.ts'
import { builder } from '../builder.ts'
import { AT_LEAST_HASH, SEARCH_COST } from '../limits.ts'
import { memoryInterface } from './memory.ts'
import { memoryFilter } from './memory-filter.ts'
import { searchEngine } from './search-result.ts'

/** The enum of the orders of a packed context. */
const contextOrder = builder.enumType('ContextOrder', {
  values: {
    SCORE: { description: 'The best hit first, each with its neighbours.' },
    TIME: { description: 'As things happened, the oldest first.' },
  } as const,
})

const contextRole = builder.enumType('ContextRole', {
  values: {
    HIT: { description: 'The search found it.' },
    NEIGHBOUR: { description: 'It stands beside a hit that says little without it.' },
  } as const,
})

const leftOutReason = builder.enumType('LeftOutReason', {
  values: {
    BUDGET: { description: 'There was no room for it.' },
    REPEATED: { description: 'An entry says the same already.' },
  } as const,
})

/** A memory in a packed context. */
export const contextEntry = builder.objectRef<ContextEntry>('ContextEntry').implement({
  description: 'A memory in a packed context.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'Its number in the text, for citations: [1].' }),
    role: t.field({ type: contextRole, resolve: ({ role }) => role }),
    memory: t.field({ type: memoryInterface, resolve: ({ memory }) => memory }),
    score: t.exposeFloat('score', { nullable: true, description: 'Of a hit, 0 to 1.' }),
    text: t.exposeString('text', { description: 'The entry as it stands in the text.' }),
    tokens: t.exposeInt('tokens'),
    whole: t.exposeBoolean('whole', { description: 'False if only a passage of the memory is here.' }),
  }),
})

const leftOut = builder.objectRef<LeftOut>('LeftOut').implement({
  description: 'A hit that is not in the packed context.',
  fields: (t) => ({
    memory: t.field({ type: memoryInterface, resolve: ({ memory }) => memory }),
    score: t.exposeFloat('score'),
    reason: t.field({ type: leftOutReason, resolve: ({ reason }) => reason }),
  }),
})

/** The type `PackedContext`. */
export const packedContext = builder.objectRef<PackedContext>('PackedContext').implement({
  description: 'The best hits of a search as one text for a prompt, within a budget of tokens.',
  fields: (t) => ({
    text: t.exposeString('text', {
      description:
        'Entries of a heading ([1] kind:id · day · in context · by agent) and the memory’s text, whose lines are set in by two blanks. So no memory can look like another entry. Empty if nothing was found.',
    }),
    tokens: t.exposeInt('tokens', { description: 'The length of the text, never over the budget.' }),
    tokenBudget: t.exposeInt('tokenBudget'),
    countedBy: t.exposeString('countedBy', {
      nullable: true,
      description:
        'The embedding model whose tokenizer counted. Null if this process has none: then it is an estimate, about twice as high as English prose has tokens. Other models count otherwise, so leave some room.',
    }),
    entries: t.field({
      type: [contextEntry],
      resolve: ({ entries }) => [...entries],
      description: 'In the order of the text.',
    }),
    leftOut: t.field({
      type: [leftOut],
      resolve: (context) => [...context.leftOut],
      description: 'Hits that are not in the text, best first.',
    }),
    engine: t.field({ type: searchEngine, resolve: ({ engine }) => engine }),
    degraded: t.stringList({ resolve: ({ degraded }) => [...degraded] }),
    message: t.exposeString('message', { nullable: true, description: 'A hint if the text is empty.' }),
    sequence: t.exposeInt('sequence', { description: 'The last sequence that the answer includes.' }),
  }),
})

builder.queryField('contextFor', (t) =>
  t.field({
    type: packedContext,
    complexity: { field: SEARCH_COST },
    description:
      'The best memories for a prompt, packed into one text within a budget of tokens. Texts that say nearly the same appear once, long memories as their best passage, and hits that need it bring their neighbour.',
    args: {
      query: t.arg.string({ required: true }),
      tokenBudget: t.arg.int({ defaultValue: 2000, description: '1 to 100,000.' }),
      filter: t.arg({ type: memoryFilter }),
      order: t.arg({ type: contextOrder, defaultValue: 'SCORE' }),
      minScore: t.arg.float({ description: 'Leaves out hits with a lower score, 0 to 1.' }),
      atLeast: t.arg.int({ description: 'Waits at most 5 s until this sequence is searchable.' }),
      atLeastHash: t.arg.string({ description: AT_LEAST_HASH }),
    },
    resolve: async (_, args, context) => {
      const filter = checkFilter(args.filter)
      const packed = await readAtLeast(context, args, async (behind) => {
        const answer = await packContext(await searchContextOf(context), {
          query: args.query,
          filter,
          tokenBudget: args.tokenBudget ?? 2000,
          order: args.order ?? 'SCORE',
          ...(args.minScore != null && { minScore: args.minScore }),
          atLeast: args.atLeast ?? 0,
        })
        return behind === null ? answer : { ...answer, degraded: [behind, ...answer.degraded] }
      })
      context.parts.access.touch(
        context.project,
        packed.entries.map(({ memory }) => memory.state.id),
      )
      return packed
    },
  }),
)

/*
 * Columns of numbers as base64 of their bytes, the lowest first: 20,000 points are 0.9 MB of one string each, where lists
 * would be 3 MB, and 120,000 values that GraphQL completes one by one while nothing else is answered.
 */

/** Numbers of 32 bits with a point (IEEE 754). */
export const packFloats = (values: readonly number[]): string =>
  packNumbers(values, 4, (bytes, value, at) => bytes.writeFloatLE(value, at))

/** The same of 64 bits. */
export const packDoubles = (values: readonly number[]): string =>
  packNumbers(values, 8, (bytes, value, at) => bytes.writeDoubleLE(value, at))

/** Whole numbers from 0 to 65,535. */
const packShorts = (values: readonly number[]): string =>
  packNumbers(values, 2, (bytes, value, at) => bytes.writeUInt16LE(value, at))

/** UUIDs, 16 bytes each. */
export const packUuids = (uuids: readonly string[]): string =>
  Buffer.from(uuids.join('').replaceAll('-', ''), 'hex').toString('base64')

/** The number that stands for no word. */
const NO_WORD = 65_535

/** Words as the numbers of their places in a list of each, which has no more than 65,535. */
export function packWords<Word extends string>(
  words: readonly (Word | null)[],
): { readonly words: Word[]; readonly packed: string } {
  const places = new Map<Word, number>()
  const numbers = words.map((word) => {
    if (word === null) return NO_WORD
    const place = places.get(word) ?? places.size
    places.set(word, place)
    return place
  })
  return { words: [...places.keys()], packed: packShorts(numbers) }
}

function packNumbers(
  values: readonly number[],
  size: number,
  write: (bytes: Buffer, value: number, at: number) => void,
): string {
  const bytes = Buffer.alloc(values.length * size)
  for (const [index, value] of values.entries()) write(bytes, value, index * size)
  return bytes.toString('base64')
}
