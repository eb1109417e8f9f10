/** The numbers that an answer cites: `[1]`, `[2, 3]`. */
export interface Citations {
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
