import type { Alternative } from './query.ts'

/** A token of a query: a term to match or exclude, or the operator OR. */
export type Token =
  | { readonly type: 'term'; readonly term: Alternative; readonly excluded: boolean }
  | { readonly type: 'or' }

/**
 * Blanks: white space, control characters (including NUL, which Postgres refuses), lone surrogates (which
 * UTF-8 cannot encode) and the zero-width space.
 */
const BLANKS = /[\s\p{Cc}\p{Cs}\u200B]+/gu

/** Quotes as keyboards, phones and word processors write them. Each of them opens and closes. */
const QUOTES = /[“”„‟＂«»]/gu

/** A term needs a letter, a digit or a symbol such as an emoji. `-`, `--`, `?` and `""` have none. */
const CONTENT = /[\p{L}\p{N}\p{So}]/u

/**
 * One token, after blanks have become single spaces and quotes `"`:
 *
 * - `minus`: one hyphen after a blank and before something. Not in `e-mail`, not alone, and not in `--force`,
 *   which is a word that agents search for.
 * - `phrase`: up to the next quote. A quote right after a letter or digit opens no phrase, so that `5" and 6"
 *   pipes` are inches.
 * - `word`: up to the next blank or quote. A quote that is never closed is skipped: its words are words.
 *
 * Linear: the search for a closing quote fails only at the last quote of the text, and nothing else
 * backtracks.
 */
const TOKEN = /(?<minus>(?<=^| )-(?=[^ -]))?(?:(?<![\p{L}\p{M}\p{N}])"(?<phrase>[^"]*)"|"?(?<word>[^ "]+))/gu

/**
 * Splits a query into tokens, in order. Terms without content are dropped, so operators apply to the terms
 * around them. Accepts any string, never throws, and takes time linear in its length.
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
