import { breakTokens } from '@daybook/memory/break-tokens'
import type { Database } from '@daybook/postgres/connect'
import { sql } from 'kysely'

/** Private-use characters: they mark matches until the rest of the text is escaped. Texts lose theirs. */
const START = '\uE000'
const STOP = '\uE001'
const MARKS = /[\uE000\uE001]/gu

/**
 * Stands after what `breakTokens` would take out of a text, which here is to be shown, while Postgres looks for matches. A control character, since every other one of ASCII means something, and beyond ASCII all are letters to a
 * database whose locale is C. Texts lose theirs.
 */
const BREAK = '\u0001'

/** About 150 characters: English words have 5 letters and a blank. */
const OPTIONS = `StartSel=${START}, StopSel=${STOP}, MaxWords=26, MinWords=16, ShortWord=0, MaxFragments=0`

/** Longest snippet in characters, marks not counted. Words can be long, and a text need not have blanks. */
const LONGEST = 200

/**
 * For each text its passage of about 150 characters that matches the wanted words best, or its beginning where none does.
 * The result is HTML: matches stand in `<mark>`, everything else is escaped, as a memory's text is data.
 */
export async function snippets(db: Database, wanted: string, texts: readonly string[]): Promise<string[]> {
  if (texts.length === 0) return []
  const clean = texts.map((text) => text.replace(MARKS, ' ').replaceAll(BREAK, ' '))
  // An escaped text would be cut inside an entity, so escaping comes last.
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

/** Cuts round the first match, and never between a mark and its end. */
function shorten(text: string): string {
  if (text.replace(MARKS, '').length <= LONGEST) return text
  const start = Math.max(0, text.indexOf(START) - LONGEST / 4)
  const part = text.slice(start, start + LONGEST)
  const open = part.lastIndexOf(START) > part.lastIndexOf(STOP)
  // What the cut left of an emoji goes too.
  return `${start > 0 ? '…' : ''}${part}${open ? STOP : ''}…`.replace(/\p{Surrogate}/gu, '')
}
