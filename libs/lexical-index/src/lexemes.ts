import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { languageOfProject } from './language.ts'

/** The UTF-16 units of the texts in one statement; the embedded database does nothing else meanwhile. */
const LENGTH_PER_STATEMENT = 512 * 1024

/**
 * The distinct lexemes of texts. Postgres makes them as it does for its own index
 * (`libs/engines/pgvector/src/write/write-memories.ts`), so all engines agree on what a word is.
 *
 * @param texts as `lexicalText` returns them
 * @returns lexemes by text
 */
export async function readLexemes(
  { db, projectId }: ProjectScope,
  texts: Iterable<string>,
): Promise<Map<string, readonly string[]>> {
  const words = new Map<string, readonly string[]>()
  for (const page of pages(new Set(texts))) {
    const { rows } = await sql<{ lexemes: string[] }>`
      select tsvector_to_array(to_tsvector(${languageOfProject(projectId)}, given.text)) as lexemes
      from unnest(${page}::text[]) with ordinality as given(text, number) order by number`.execute(db)
    for (const [index, text] of page.entries()) words.set(text, rows[index]?.lexemes ?? [])
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
