import type { Alternative, ParsedQuery } from './query.ts'
import { tokens } from './tokens.ts'

/**
 * Parses a search query.
 *
 * | written | means |
 * |---|---|
 * | `red car` | both words rank; neither is required |
 * | `"red car"` | required: the words next to each other in this order; `"red"` requires one word |
 * | `-red`, `-"red car"` | no hit contains it |
 * | `"red car" OR "blue car"` | one of the two is required |
 * | `apple OR "red car"` | the word or the phrase is required |
 * | `cats OR dogs` | the same as `cats dogs`: words are optional anyway |
 * | `What is "Little Women" about?` | nothing is required: in a question, quotes enclose a title |
 *
 * OR is upper case and joins the terms next to it: in `big apple OR "red car"` the word `big` only ranks.
 * Everything else is tolerated. An OR with nothing on one side, or next to an exclusion, joins nothing. An
 * unpaired quote and a hyphen that excludes nothing are ignored. There are no errors, and the time is linear
 * in the length.
 *
 * ```ts
 * parseQuery('login "red car" -blue')
 * // { wanted: 'login red car',
 * //   required: [[{ type: 'phrase', text: 'red car' }]],
 * //   excluded: [{ type: 'word', text: 'blue' }] }
 * ```
 */
export function parseQuery(text: string): ParsedQuery {
  const wanted: string[] = []
  const groups: Alternative[][] = []
  const excluded: Alternative[] = []
  /**
   * The group that an OR would extend: that of the previous term. Null at the start and after an exclusion.
   */
  let last: Alternative[] | null = null
  let joins = false

  for (const token of tokens(text)) {
    if (token.type === 'or') {
      joins = true
    } else if (token.excluded) {
      excluded.push(token.term)
      last = null
      joins = false
    } else {
      wanted.push(token.term.text)
      if (joins && last !== null) last.push(token.term)
      else groups.push((last = [token.term]))
      joins = false
    }
  }

  const required = isQuestion(text) ? [] : groups.filter(demands)
  return { wanted: wanted.join(' '), required, excluded }
}

/**
 * People and agents also ask in sentences. In a question, quotes as requirements lost more evidence than they
 * found (`docs/measurements.md#quotes-in-questions`).
 */
const isQuestion = (text: string) => text.trimEnd().endsWith('?')

/** A group is required if it contains a phrase. A group of words alone is not. */
function demands(group: readonly Alternative[]): boolean {
  return group.some((alternative) => alternative.type === 'phrase')
}
