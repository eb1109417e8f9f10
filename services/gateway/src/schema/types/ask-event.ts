import type { AskAnswer, AskEvent } from '@daybook/ask/ask'
import { builder } from '../builder.ts'
import { contextEntry, packedContext } from './packed-context.ts'

/** The enum of the pipelines. */
export const askPipeline = builder.enumType('AskPipeline', {
  values: {
    RAG: { description: 'Finds memories, and answers from them.' },
    CODEGEN: { description: 'Finds memories, writes code by them, and checks it.' },
  } as const,
})
const askStep = builder.enumType('AskStep', { values: ['GENERATE', 'CHECK'] as const })

type EventOf<Type extends AskEvent['type']> = Extract<AskEvent, { type: Type }>

const askContext = builder.objectRef<EventOf<'CONTEXT'>>('AskContext').implement({
  description: 'What the model is given. It comes first, also if there is no model.',
  fields: (t) => ({
    context: t.field({ type: packedContext, resolve: ({ context }) => context }),
  }),
})
const askText = builder.objectRef<EventOf<'TEXT'>>('AskText').implement({
  description: 'The next words of the model.',
  fields: (t) => ({
    step: t.field({ type: askStep, resolve: ({ step }) => step }),
    text: t.exposeString('text'),
  }),
})
const askCheck = builder.objectRef<NonNullable<AskAnswer['check']>>('AskCheck').implement({
  description: 'What the model says of its own code.',
  fields: (t) => ({
    passed: t.exposeBoolean('passed', {
      nullable: true,
      description: 'Null if it gave no verdict.',
    }),
    text: t.exposeString('text'),
  }),
})
const askAnswer = builder.objectRef<AskAnswer>('AskAnswer').implement({
  description: 'The whole answer. It comes last.',
  fields: (t) => ({
    text: t.exposeString('text'),
    citations: t.field({
      type: [contextEntry],
      resolve: ({ citations }) => [...citations],
      description: 'The memories that it cites by their numbers, in its order.',
    }),
    unknownCitations: t.intList({
      resolve: ({ unknownCitations }) => [...unknownCitations],
      description: 'Numbers that it cites though no memory has them.',
    }),
    check: t.field({
      type: askCheck,
      nullable: true,
      resolve: ({ check }) => check,
      description: 'Of the pipeline CODEGEN.',
    }),
    model: t.exposeString('model'),
    inputTokens: t.exposeInt('inputTokens', { nullable: true, description: 'As the endpoint counted.' }),
    outputTokens: t.exposeInt('outputTokens', { nullable: true }),
  }),
})
const askFailed = builder.objectRef<EventOf<'FAILED'>>('AskFailed').implement({
  description: 'There is no answer. The context that came first can be used all the same.',
  fields: (t) => ({
    code: t.exposeString('code', {
      description: 'CONFIGURATION: a setting must be changed. UNAVAILABLE: it may work later.',
    }),
    message: t.exposeString('message'),
  }),
})

const TYPE_NAMES = {
  CONTEXT: 'AskContext',
  TEXT: 'AskText',
  ANSWER: 'AskAnswer',
  FAILED: 'AskFailed',
} as const

/** What the subscription `ask` sends. */
export const askEvent = builder.unionType('AskEvent', {
  types: [askContext, askText, askAnswer, askFailed],
  resolveType: ({ type }) => TYPE_NAMES[type],
})
