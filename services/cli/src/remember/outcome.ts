/** What remembering came to, as the API says it. */
const WORDS = {
  REMEMBERED: 'Remembered',
  REVISED: 'Revised',
  RESTORED: 'Restored',
  UNCHANGED: 'Unchanged',
} as const

/** What remembering came to, in a word for people. */
export const describeOutcome = (outcome: keyof typeof WORDS): string => WORDS[outcome]
