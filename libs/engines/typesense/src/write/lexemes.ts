import { createHash } from 'node:crypto'
import { readLexemes } from '@daybook/lexical-index/lexemes'
import type { Queryable } from '@daybook/postgres/connect'

/** What Typesense takes for one word and keeps as it is; it would cut off what is beyond 100 bytes. */
const PLAIN = /^(?!zz)[a-z0-9]{1,64}$/

/**
 * A lexeme of Postgres as a word that Typesense neither cuts nor changes: itself where it is of the letters a to z and digits,
 * else `zz` and 32 hexadecimal digits of its SHA-256. So both engines have the same words, whatever signs, accents and
 * alphabets are in them: `x-ray`, `été` and `/usr/bin` are one word each here too.
 */
export function lexemeAsWord(lexeme: string): string {
  return PLAIN.test(lexeme) ? lexeme : `zz${createHash('sha256').update(lexeme).digest('hex').slice(0, 32)}`
}

/**
 * The distinct lexemes of texts, each text's as words with blanks between them.
 * @param texts as `lexicalText` gives them
 * @returns by text
 */
export async function readWords(db: Queryable, texts: Iterable<string>): Promise<Map<string, string>> {
  const lexemes = await readLexemes(db, texts)
  return new Map([...lexemes].map(([text, all]) => [text, all.map(lexemeAsWord).join(' ')]))
}
