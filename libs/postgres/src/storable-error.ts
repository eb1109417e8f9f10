/**
 * An error's message as a table takes it, at most 2,000 characters. It may quote anything, and one that the database refuses must
 * not keep what failed from being noted.
 */
export const storableError = (message: string): string =>
  message.slice(0, 2_000).replaceAll('\u0000', ' ').toWellFormed()
