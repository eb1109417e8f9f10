import { DaybookError } from '@daybook/memory/errors'
import type { ContextEntry, PackedContext } from '@daybook/search/context/context-request'
import type { LanguageModel } from './language-model.ts'
import {
  answerPrompt,
  checkPrompt,
  citationsIn,
  codePrompt,
  type Language,
  type Prompt,
  type PromptInput,
  verdictOf,
} from './prompts.ts'

/** RAG: retrieve → generate. CODEGEN: retrieve → generate → check. */
export type Pipeline = 'RAG' | 'CODEGEN'

/** What a question to memories needs. */
export interface AskRequest {
  readonly question: string
  readonly pipeline: Pipeline
  readonly language: Language
  readonly context: PackedContext
}

/** A step of a pipeline in which the model speaks. */
export type Step = 'GENERATE' | 'CHECK'

/** What happened in a pipeline. */
export type AskEvent =
  | { readonly type: 'CONTEXT'; readonly context: PackedContext }
  | { readonly type: 'TEXT'; readonly step: Step; readonly text: string }
  | AskAnswer
  | { readonly type: 'FAILED'; readonly code: string; readonly message: string }

/** The end of a pipeline. */
export interface AskAnswer {
  readonly type: 'ANSWER'
  readonly text: string
  /** The memories that the answer cites, in its order. */
  readonly citations: readonly ContextEntry[]
  /** Numbers it cites that no memory has. */
  readonly unknownCitations: readonly number[]
  /** Null without a check. */
  readonly check: { readonly passed: boolean | null; readonly text: string } | null
  readonly model: string
  /** As the endpoint counted them in all steps; null if it did not. */
  readonly inputTokens: number | null
  readonly outputTokens: number | null
}

/**
 * Runs a pipeline on a packed context: the context first, then what the model says as it says it, then the answer
 * with its citations. What memories say reaches the model as delimited data (`prompts.ts`). Without a model, or where
 * it fails, the last event says so; the context is there in any case.
 *
 * @param signal ends the pipeline
 */
export async function* ask(
  model: LanguageModel | null,
  { question, pipeline, language, context }: AskRequest,
  signal: AbortSignal,
): AsyncGenerator<AskEvent, void> {
  yield { type: 'CONTEXT', context }
  if (model === null) {
    yield {
      type: 'FAILED',
      code: 'CONFIGURATION',
      message:
        'No language model is set, so there is the packed context and no answer. Set DAYBOOK_ASK_MODEL to openai/<model> or ollama/<model> and restart',
    }
    return
  }
  const asked: PromptInput = { question, context: context.text }
  const used = { inputTokens: null as number | null, outputTokens: null as number | null }
  const say = async function* (step: Step, prompt: Prompt): AsyncGenerator<AskEvent, string> {
    let whole = ''
    for await (const said of model.say(prompt, signal)) {
      if ('text' in said) {
        whole += said.text
        if (said.text !== '') yield { type: 'TEXT', step, text: said.text }
      } else {
        used.inputTokens = sum(used.inputTokens, said.inputTokens)
        used.outputTokens = sum(used.outputTokens, said.outputTokens)
      }
    }
    return whole
  }
  try {
    const prompt = pipeline === 'RAG' ? answerPrompt(asked) : codePrompt(asked, language)
    const text = yield* say('GENERATE', prompt)
    const checked = pipeline === 'RAG' ? null : yield* say('CHECK', checkPrompt(asked, text, language))
    if (signal.aborted) return
    const { known, unknown } = citationsIn(text, context.entries.length)
    yield {
      type: 'ANSWER',
      text,
      citations: known.flatMap((number) => context.entries.find((one) => one.number === number) ?? []),
      unknownCitations: unknown,
      check: checked === null ? null : { passed: verdictOf(checked), text: checked },
      model: model.name,
      ...used,
    }
  } catch (error) {
    if (!(error instanceof DaybookError)) throw error
    yield { type: 'FAILED', code: error.code, message: error.message }
  }
}

const sum = (before: number | null, more: number | null): number | null =>
  more === null ? before : (before ?? 0) + more
