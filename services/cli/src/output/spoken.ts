import { safeLine } from '@daybook/memory/safe-text'

/** An enum value of the API for people: `RETRY_PARKED` becomes `retry-parked`. Safe on a terminal. */
export const spoken = (word: string): string => safeLine(word.toLowerCase().replaceAll('_', '-'))
