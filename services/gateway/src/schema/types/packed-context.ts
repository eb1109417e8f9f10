import type { ContextEntry, LeftOut, PackedContext } from '@daybook/search/context/context-request'
import { builder } from '../builder.ts'
import { memoryInterface } from './memory.ts'
import { searchEngine } from './search-result.ts'

/** The enum of the orders of a packed context. */
export const contextOrder = builder.enumType('ContextOrder', {
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
