import { foldLetter } from './fold-words.ts'

/** A text as names are compared: in small letters, without accents, and with its blanks and emoji as they are. */
export const folded = (text: string): string =>
  text.replaceAll(/[^\0-\x7F]\p{M}*/gu, foldLetter).toLowerCase()
