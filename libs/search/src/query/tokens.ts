import type { Alternative } from './query.ts'

/** A token of the query syntax: something to match or to leave out, or the operator OR. */
export type Token =
  | { readonly type: 'term'; readonly term: Alternative; readonly excluded: boolean }
  | { readonly type: 'or' }

/**
 * Blanks: white space, control characters (NUL among them, which Postgres refuses), lone surrogates (which no UTF-8 can
 * hold) and the zero-width space.
 */
const BLANKS = /[\s\p{Cc}\p{Cs}\u200B]+/gu

/** Quotes as keyboards, phones and word processors write them; any of them opens, any of them closes. */
const QUOTES = /[“”„‟＂«»]/gu

/** A term without a letter, a digit or a symbol such as an emoji has nothing to search for: `-`, `--`, `?`, `""`. */
const CONTENT = /[\p{L}\p{N}\p{So}]/u

/**
 * One token, after blanks have become single spaces and quotes `"`:
 *
 * - `minus`: one hyphen after a blank and before something. Not in `e-mail`, not alone, and not in `--force`, which is a
 *   word that agents search for.
 * - `phrase`: up to the next quote. A quote right after a letter or digit opens none, so that `5" and 6" pipes` are inches.
 * - `word`: up to the next blank or quote. A quote that is never closed is skipped: its words are words.
 *
 * Linear: a search for a closing quote fails at the last quote of the text only, and nothing else backtracks.
 */
const TOKEN = /(?<minus>(?<=^| )-(?=[^ -]))?(?:(?<![\p{L}\p{M}\p{N}])"(?<phrase>[^"]*)"|"?(?<word>[^ "]+))/gu

/**
 * Cuts a query into tokens, in order. What has no content is left out, as if it were not there: the operators beside it see
 * its neighbours. Takes any string, never throws, and takes time linear in its length.
 */
export function* tokens(text: string): Generator<Token> {
  for (const { groups = {} } of text.replace(BLANKS, ' ').replace(QUOTES, '"').matchAll(TOKEN)) {
    const { minus, phrase, word } = groups
    const excluded = minus !== undefined
    if (word === 'OR' && !excluded) {
      yield { type: 'or' }
      continue
    }
    const content = (phrase ?? word ?? '').trim()
    if (!CONTENT.test(content)) continue
    yield { type: 'term', term: { type: phrase === undefined ? 'word' : 'phrase', text: content }, excluded }
  }
}
