import { safeLine } from './safe-text.ts'

/** A word of one of the API's enums as people read it: `RETRY_PARKED` is `retry-parked`. Safe on a terminal. */
export const spoken = (word: string): string => safeLine(word.toLowerCase().replaceAll('_', '-'))
