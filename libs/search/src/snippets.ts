import { breakTokens } from '@daybook/memory/break-tokens'
import type { Database } from '@daybook/postgres/connect'
import { sql } from 'kysely'

/**
 * Private-use characters that mark matches until the rest of the text is escaped. They are removed from
 * texts.
 */
const START = '\uE000'
const STOP = '\uE001'
const MARKS = /[\uE000\uE001]/gu

/**
 * Stands after characters that `breakTokens` would remove, while Postgres looks for matches; a snippet must
 * show them. It is a control character, because every other ASCII character has a meaning, and a database
 * with the locale C takes everything beyond ASCII for letters. It is removed from texts.
 */
const BREAK = '\u0001'

/** About 150 characters: an English word has about 5 letters and a blank. */
const OPTIONS = `StartSel=${START}, StopSel=${STOP}, MaxWords=26, MinWords=16, ShortWord=0, MaxFragments=0`

/** The longest snippet in characters, without marks. Words can be long, and a text need not have blanks. */
const LONGEST = 200

/**
 * For each text, the passage of about 150 characters that matches the wanted words best, or its beginning if
 * none matches. The result is HTML: matches are in `<mark>`, everything else is escaped.
 */
export async function snippets(db: Database, wanted: string, texts: readonly string[]): Promise<string[]> {
  if (texts.length === 0) return []
  const clean = texts.map((text) => text.replace(MARKS, ' ').replaceAll(BREAK, ' '))
  // Escaped last, because a cut could fall inside an entity.
  const parsed = clean.map((text) => breakTokens(text, (joiner) => joiner + BREAK))
  const { rows } = await sql<{ headline: string }>`
    with wanted as materialized (
      select coalesce(string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | '), '')::tsquery as any_word
      from unnest(to_tsvector('english', ${breakTokens(wanted)}))
    )
    select ts_headline('english', given.text, any_word, ${OPTIONS}) as headline
    from wanted, unnest(${parsed}::text[]) with ordinality as given(text, place)
    order by place`.execute(db)
  return rows.map((row) => toHtml(row.headline))
}

function toHtml(headline: string): string {
  const oneLine = shorten(headline.replaceAll(BREAK, '').replace(/\s+/gu, ' ').trim())
  return oneLine
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(START, '<mark>')
    .replaceAll(STOP, '</mark>')
}

/** Cuts around the first match, and never between a mark and its end. */
function shorten(text: string): string {
  if (text.replace(MARKS, '').length <= LONGEST) return text
  const start = Math.max(0, text.indexOf(START) - LONGEST / 4)
  const part = text.slice(start, start + LONGEST)
  const open = part.lastIndexOf(START) > part.lastIndexOf(STOP)
  // Removes half of an emoji that the cut left.
  return `${start > 0 ? '…' : ''}${part}${open ? STOP : ''}…`.replace(/\p{Surrogate}/gu, '')
}
