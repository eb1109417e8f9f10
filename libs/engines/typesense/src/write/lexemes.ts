import { createHash } from 'node:crypto'
import type { Queryable } from '@daybook/postgres/connect'
import { sql } from 'kysely'

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

/** UTF-16 units of texts in one statement; the embedded database does nothing else meanwhile. */
const LENGTH_PER_STATEMENT = 512 * 1024

/**
 * The distinct lexemes of texts, each text's as words with blanks between them. Postgres makes them as it does for its own
 * index (`libs/engines/pgvector/src/write/write-memories.ts`).
 *
 * @param texts as `lexicalText` gives them
 * @returns by text
 */
export async function readLexemes(db: Queryable, texts: Iterable<string>): Promise<Map<string, string>> {
  const words = new Map<string, string>()
  for (const page of pages(new Set(texts))) {
    const { rows } = await sql<{ lexemes: string[] }>`
      select tsvector_to_array(to_tsvector('english', given.text)) as lexemes
      from unnest(${page}::text[]) with ordinality as given(text, number) order by number`.execute(db)
    for (const [index, text] of page.entries())
      words.set(text, (rows[index]?.lexemes ?? []).map(lexemeAsWord).join(' '))
  }
  return words
}

function* pages(texts: Iterable<string>): Generator<string[]> {
  let page: string[] = []
  let length = 0
  for (const text of texts) {
    if (page.length > 0 && length + text.length > LENGTH_PER_STATEMENT) {
      yield page
      page = []
      length = 0
    }
    page.push(text)
    length += text.length
  }
  if (page.length > 0) yield page
}
