import type { AskAnswer, AskEvent } from '@daybook/ask/ask'
import { ValidationError } from '@daybook/memory/errors'
import { checkFilter } from '@daybook/memory/filter'
import { packContext } from '@daybook/search/context/pack-context'
import { searchContextOf } from '../../open-search-engines.ts'
import { builder } from '../builder.ts'
import { SEARCH_COST } from '../limits.ts'
import { memoryFilter } from './memory-filter.ts'
import { contextEntry, packedContext } from './packed-context.ts'

/** The enum of the pipelines. */
const askPipeline = builder.enumType('AskPipeline', {
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
const askEvent = builder.unionType('AskEvent', {
  types: [askContext, askText, askAnswer, askFailed],
  resolveType: ({ type }) => TYPE_NAMES[type],
})

const LANGUAGE = /^[\p{L}\p{N}+#. -]{1,40}$/u

builder.subscriptionField('ask', (t) =>
  t.field({
    type: askEvent,
    complexity: { field: SEARCH_COST },
    description:
      'Answers a question from memories with the language model of DAYBOOK_ASK_MODEL: first the context that the model is given, then its words as it says them, then the answer with its citations. Memories are passed as delimited data, never as instructions.',
    args: {
      question: t.arg.string({ required: true }),
      pipeline: t.arg({ type: askPipeline, defaultValue: 'RAG' }),
      language: t.arg.string({ description: 'The programming language for CODEGEN, such as SQL.' }),
      tokenBudget: t.arg.int({ defaultValue: 2000, description: 'Of the context: 1 to 100,000.' }),
      filter: t.arg({ type: memoryFilter }),
    },
    subscribe: (_, { question, pipeline, language, tokenBudget, filter }, context) => {
      if (language != null && !LANGUAGE.test(language))
        throw new ValidationError('language', 'must be the name of a language, of at most 40 characters')
      const meant = checkFilter(filter)
      return context.subscribe(async function* (ended): AsyncGenerator<AskEvent, void> {
        const packed = await packContext(await searchContextOf(context), {
          query: question,
          filter: meant,
          tokenBudget: tokenBudget ?? 2000,
          order: 'SCORE',
        })
        context.parts.access.touch(
          context.project,
          packed.entries.map(({ memory }) => memory.state.id),
        )
        // Loaded with the first question: most gateways are never asked one.
        const { ask } = await import('@daybook/ask/ask')
        const { openLanguageModel } = await import('@daybook/ask/language-model')
        const request = {
          question,
          pipeline: pipeline ?? 'RAG',
          language: language ?? null,
          context: packed,
        }
        yield* ask(openLanguageModel(context.parts.config), request, ended)
      })
    },
    resolve: (event) => event,
  }),
)
