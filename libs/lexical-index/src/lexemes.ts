import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, sql } from 'kysely'

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

/** SQL: the default language as Postgres' text search configuration. */
export const ENGLISH: RawBuilder<unknown> = sql`'english'::regconfig`

/** SQL: the language that a project shall have, as Postgres' text search configuration. */
const languageOfProject = (projectId: string): RawBuilder<unknown> =>
  sql`coalesce((select language from projects where id = ${projectId}), 'english')::regconfig`

/**
 * SQL: the language of a project in a generation, as Postgres' text search configuration. It stays the same as
 * long as the generation lives, whatever the project's language becomes meanwhile: a rebuild changes it. A project
 * without memories has none yet.
 */
export const languageOf = (
  { lexicalStats }: Pick<LexicalTables, 'lexicalStats'>,
  projectId: string,
): RawBuilder<unknown> =>
  sql`coalesce((select language from ${lexicalStats} where project_id = ${projectId}),
    (select language from projects where id = ${projectId}), 'english')::regconfig`

/** What postings are made of, and where they are: a lexical index without its statistics. */
export interface PostingTables {
  /**
   * Memories with their lexemes, forgotten ones included; a table, or a relation in parentheses. It has the
   * columns `project_id`, `memory_id`, `number`, `lexemes`, `length` and `forgotten`.
   */
  readonly memories: RawBuilder<unknown>
  /** The postings of memories that are not forgotten: see `postings.ts`. */
  readonly postings: RawBuilder<unknown>
}

/** The tables of the lexical index of current texts in one generation, for use in a statement. */
export interface LexicalTables extends PostingTables {
  /** Per project: the number of memories in the lexical index, and their total length. */
  readonly lexicalStats: RawBuilder<unknown>
}
