import type { AskEvent } from '@daybook/ask/ask'
import { checkFilter } from '@daybook/memory/check-filter'
import { ValidationError } from '@daybook/memory/errors'
import { packContext } from '@daybook/search/context/pack-context'
import { searchPartsOf } from '../../search-parts-of.ts'
import { builder } from '../builder.ts'
import { SEARCH_COST } from '../limits.ts'
import { askEvent, askPipeline } from '../types/ask-event.ts'
import { memoryFilter } from '../types/memory-filter.ts'

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
        const packed = await packContext(await searchPartsOf(context), {
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
