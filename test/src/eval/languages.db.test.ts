import { fileURLToPath } from 'node:url'
import { indexedWords, queryWords } from '@daybook/memory/fold-words'
import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Group } from './collection.ts'
import { loadCollection } from './formats/load.ts'

const { groups } = loadCollection(fileURLToPath(new URL('./bundled/languages.jsonl', import.meta.url)))
/** The languages of the sets that Postgres knows; the others are searched in `simple`. */
const DICTIONARIES = new Set(['german', 'french', 'spanish', 'russian'])

/*
 * The words of questions in several languages, as the lexical index has them. `docs/measurements.md` has how many
 * were found before words were folded, and without the language.
 */
describe.each(SERVICE_DATABASES)('words beyond English on $name (capability 10)', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  /** The share of the questions' lexemes that their evidence has. */
  async function wordsFound({ name, memories, questions }: Group): Promise<number> {
    const language = DICTIONARIES.has(name) ? name : 'simple'
    const textOf = (id: string | undefined) => {
      const input = memories.find((memory) => memory.id === id)?.input as
        | { content: { note: { text: string } } }
        | undefined
      return indexedWords(input?.content.note.text ?? '')
    }
    const { rows } = await sql<{ share: number }>`
      select avg(of_one.share)::float8 as share
      from unnest(${questions.map(({ text }) => queryWords(text))}::text[],
        ${questions.map(({ relevant }) => textOf([...relevant.keys()][0]))}::text[]) as asked(question, text)
      cross join lateral (
        select avg((lexeme = any(tsvector_to_array(to_tsvector(${language}::regconfig, text))))::int) as share
        from unnest(to_tsvector(${language}::regconfig, question))
      ) of_one`.execute(database.db)
    return rows[0]?.share ?? 0
  }

  it.each(groups)('nine of ten are found in $name', async (group) => {
    expect(group.questions.length).toBeGreaterThanOrEqual(6)
    expect(await wordsFound(group)).toBeGreaterThan(0.9)
  })
})
