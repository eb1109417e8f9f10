import type { LanguageModel } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'

/** What the model says in one step: a text, or a call of a tool. */
export type ScriptedStep =
  | string
  | { readonly tool: string; readonly input: (prompt: string) => Readonly<Record<string, unknown>> }

/** A model that says what it is told to, for tests. */
export interface ScriptedModel {
  readonly model: LanguageModel
  /** What it was given in each step, as JSON. */
  readonly prompts: readonly string[]
}

const NO_TOKENS = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 }
const USAGE = { inputTokens: NO_TOKENS, outputTokens: { total: 0, text: 0, reasoning: 0 } }

/** @param steps one for each time that the model is asked */
export function scriptedModel(steps: readonly ScriptedStep[]): ScriptedModel {
  const prompts: string[] = []
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const given = JSON.stringify(prompt)
      const step = steps[prompts.length]
      prompts.push(given)
      if (step === undefined) throw new Error(`The script has ${steps.length} steps only`)
      return typeof step === 'string'
        ? {
            content: [{ type: 'text', text: step }],
            finishReason: { unified: 'stop', raw: undefined },
            usage: USAGE,
            warnings: [],
          }
        : {
            content: [
              {
                type: 'tool-call',
                toolCallId: `call-${prompts.length}`,
                toolName: step.tool,
                input: JSON.stringify(step.input(given)),
              },
            ],
            finishReason: { unified: 'tool-calls', raw: undefined },
            usage: USAGE,
            warnings: [],
          }
    },
  })
  return { model, prompts }
}
