import { delimited } from '@daybook/memory/safe-text'

/** A prompt for a language model. */
export interface Prompt {
  /** What the model must do: nothing of it comes from a memory. */
  readonly system: string
  readonly user: string
}

/** What a pipeline is asked. */
export interface PromptInput {
  readonly question: string
  /** Numbered memories, as `packContext` packs them; empty if nothing was found. */
  readonly context: string
}

/** The programming language that code is wanted in; null lets the model choose. */
export type Language = string | null

const CITE =
  'After each statement that rests on a memory, cite it by its number, such as [1]. Cite no other numbers.'

/** Asks for an answer from memories. */
export function answerPrompt({ question, context }: PromptInput): Prompt {
  const { block, rule } = delimited('memories', context)
  return {
    system: [
      'You answer a question from memories that were stored before.',
      rule,
      CITE,
      'If the memories do not answer the question, say so, and do not invent an answer.',
    ].join('\n'),
    user: `${block}\n\nThe question:\n${question}`,
  }
}

/** Asks for code that follows what memories say. */
export function codePrompt({ question, context }: PromptInput, language: Language): Prompt {
  const { block, rule } = delimited('memories', context)
  return {
    system: [
      `You write ${language === null ? '' : `${language} `}code for a task. Memories say which names, conventions and decisions hold here.`,
      rule,
      CITE,
      'Give the code in one fenced block, and after it, in a few sentences, what it rests on. Do not invent names that the memories should have: say what is missing.',
    ].join('\n'),
    user: `${block}\n\nThe task:\n${question}`,
  }
}

/** Asks whether generated code does what was asked. */
export function checkPrompt({ question, context }: PromptInput, code: string, language: Language): Prompt {
  const memories = delimited('memories', context)
  const answer = delimited('answer', code)
  return {
    system: [
      `You check ${language === null ? '' : `${language} `}code that somebody wrote for a task: its syntax, whether it does what the task asks, and whether it uses names and conventions as the memories have them.`,
      memories.rule,
      answer.rule,
      'Your first line is PASS or FAIL and nothing else. After FAIL, list what is wrong, one problem a line.',
    ].join('\n'),
    user: `${memories.block}\n\n${answer.block}\n\nThe task:\n${question}`,
  }
}

/** Reads the verdict of a check; null if its first line is neither PASS nor FAIL. */
export function verdictOf(text: string): boolean | null {
  const [, word] = /^\W*(PASS|FAIL)\b/iu.exec(text) ?? []
  return word === undefined ? null : word.toUpperCase() === 'PASS'
}

/** The numbers that an answer cites: `[1]`, `[2, 3]`. */
interface Citations {
  /** Those of memories that the model was given, each once, in the order of the answer. */
  readonly known: readonly number[]
  /** Those of none: the model has made them up. */
  readonly unknown: readonly number[]
}

/** Finds the citations in an answer. @param entries how many memories the model was given, numbered from 1 */
export function citationsIn(answer: string, entries: number): Citations {
  const cited = new Set<number>()
  for (const [, numbers = ''] of answer.matchAll(/\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]/gu))
    for (const number of numbers.split(',')) cited.add(Number(number))
  const isKnown = (number: number) => number >= 1 && number <= entries
  return {
    known: [...cited].filter(isKnown),
    unknown: [...cited].filter((number) => !isKnown(number)),
  }
}
