import { createHash } from 'node:crypto'
import { readLexemes } from '@daybook/lexical-index/lexemes'
import type { ProjectScope } from '@daybook/postgres/project-scope'

/** What Typesense takes as one word and leaves unchanged. It would cut off a word after 100 bytes. */
const PLAIN = /^(?!zz)[a-z0-9]{1,64}$/

/**
 * A lexeme of Postgres as a word that Typesense neither splits nor changes: the lexeme itself if it has only
 * the letters a to z and digits, else `zz` and the first 32 hexadecimal digits of its SHA-256. So both
 * engines have the same words whatever their signs, accents and alphabets: `x-ray`, `été` and `/usr/bin` are
 * one word each.
 */
export function lexemeAsWord(lexeme: string): string {
  return PLAIN.test(lexeme) ? lexeme : `zz${createHash('sha256').update(lexeme).digest('hex').slice(0, 32)}`
}

/**
 * The distinct lexemes of each text, as words separated by blanks.
 * @param texts as `lexicalText` returns them
 * @returns words by text
 */
export async function readWords(scope: ProjectScope, texts: Iterable<string>): Promise<Map<string, string>> {
  const lexemes = await readLexemes(scope, texts)
  return new Map([...lexemes].map(([text, all]) => [text, all.map(lexemeAsWord).join(' ')]))
}
