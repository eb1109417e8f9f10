import { safeLine } from '@daybook/memory/safe-text'

/** A text as a shell takes it for one word. Safe on a terminal. */
export const shellWord = (text: string): string =>
  /^[\w.:/-]+$/u.test(text) ? text : `'${safeLine(text).replaceAll("'", "'\\''")}'`
