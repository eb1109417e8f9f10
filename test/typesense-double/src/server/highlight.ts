import type { Collection, Stored } from './collection.ts'
import type { SearchParams } from './search-params.ts'
import type { FieldMatch } from './text-score.ts'
import { queryFields } from './text-search.ts'
import type { Token } from './tokenize.ts'

interface Highlight {
  readonly matched_tokens: readonly string[]
  readonly snippet: string
  readonly value?: string
}

/** The highlights of a hit in the server's two formats. */
export interface Highlights {
  readonly highlight: Record<string, Highlight>
  readonly highlights: readonly (Highlight & { readonly field: string })[]
}

/**
 * Marks where the query's words occur in a hit's texts. Fields with most of the query's words come first.
 * Lists of texts are left out.
 */
export function highlightsOf(
  collection: Collection,
  params: SearchParams,
  words: readonly string[],
  { document }: Stored,
  matches: readonly FieldMatch[],
): Highlights {
  const found: { field: string; count: number; highlight: Highlight }[] = []
  for (const [fieldAt, field] of queryFields(collection, params.queryBy).entries()) {
    if (params.highlightFields !== null && !params.highlightFields.includes(field.name)) continue
    const text = document[field.name]
    const match = matches.find((one) => one.fieldAt === fieldAt)
    if (match === undefined || typeof text !== 'string') continue
    const lengths = new Map<string, number | null>()
    // Of a word that only begins with the query's word, the beginning is marked.
    for (const [at, { leaf }] of match.words)
      lengths.set(leaf.word, leaf.cost % 2 === 1 ? (words[at]?.length ?? null) : null)
    const tokens = collection.tokens(field, text)
    const marks = tokens.flatMap((token, index) => {
      const length = lengths.get(collection.words(field, token.word)[0] ?? '')
      return length === undefined ? [] : [{ index, start: token.start, end: endOf(token, length) }]
    })
    const [first] = marks
    if (first === undefined) continue
    const affix = params.highlightAffix
    const isWhole = tokens.length <= params.snippetThreshold
    const from = isWhole ? 0 : (tokens[Math.max(0, first.index - affix)]?.start ?? 0)
    const to = isWhole ? text.length : (tokens[first.index + affix]?.end ?? text.length)
    const inside = marks.filter((mark) => mark.start >= from && mark.end <= to)
    const isFull = params.highlightFullFields.includes(field.name)
    const highlight: Highlight = {
      matched_tokens: inside.map((mark) => text.slice(mark.start, mark.end)),
      snippet: marked(params, text, from, to, inside),
      ...(isFull ? { value: marked(params, text, 0, text.length, marks) } : {}),
    }
    found.push({ field: field.name, count: match.words.size, highlight })
  }
  found.sort((left, right) => right.count - left.count)
  return {
    highlight: Object.fromEntries(found.map(({ field, highlight }) => [field, highlight])),
    highlights: found.map(({ field, highlight }) => ({ field, ...highlight })),
  }
}

const endOf = (token: Token, length: number | null) =>
  length === null ? token.end : (token.ends[length - 1] ?? token.end)

function marked(
  { highlightStart, highlightEnd }: SearchParams,
  text: string,
  from: number,
  to: number,
  marks: readonly { readonly start: number; readonly end: number }[],
): string {
  let written = ''
  let at = from
  for (const { start, end } of marks) {
    written += text.slice(at, start) + highlightStart + text.slice(start, end) + highlightEnd
    at = end
  }
  return written + text.slice(at, to)
}
