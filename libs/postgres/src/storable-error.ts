/**
 * An error's message as a table accepts it: at most 2,000 characters. A message may quote anything. One that
 * the database refuses must not prevent recording the failure.
 */
export const storableError = (message: string): string =>
  message.slice(0, 2_000).replaceAll('\u0000', ' ').toWellFormed()
