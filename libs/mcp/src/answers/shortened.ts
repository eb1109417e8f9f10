/** The text, or its beginning and `…`. @param most its characters (UTF-16) that are kept */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`

/** The longest message of an error, in characters: it may repeat an argument, which has up to 1 MiB. */
const MESSAGE_CHARACTERS = 1_000

/** The message of an error, for a model. */
export const shortMessage = (message: string): string => shortened(message, MESSAGE_CHARACTERS)
