import type { Alternative } from './query.ts'

/** A word or a phrase. */
export type Term = Exclude<Alternative, { readonly type: 'group' }>

/** A token of a query: a term, an operator or a parenthesis. `not` is `NOT` and the hyphen of `-red`. */
export type Token =
  | { readonly type: 'term'; readonly term: Term }
  | { readonly type: 'or' | 'and' | 'not' | 'open' | 'close' }

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

/** What makes parentheses group. Elsewhere they are punctuation: "the server (in Bern)". */
const OPERATOR = /(?<=^|[ (])(?:(?:OR|AND|NOT)(?=[ ("]|$)|-\()/u

/**
 * Parentheses that group, at the beginning and at the end of words. Those of phrases and of `f(x)` are no
 * such.
 */
const GROUPING = /(?<![\p{L}\p{M}\p{N}])"[^"]*"|(?<=[^ "()-])\([^ "()]*\)|(?<=^|[ (-])\(|\)(?=[ )]|$)/gu

const OPERATORS: ReadonlyMap<string, 'or' | 'and' | 'not'> = new Map([
  ['OR', 'or'],
  ['AND', 'and'],
  ['NOT', 'not'],
])
const PARENTHESES: ReadonlyMap<string, 'open' | 'close'> = new Map([
  ['(', 'open'],
  [')', 'close'],
])

/**
 * Splits a query into tokens, in order. Terms without content are dropped, so operators apply to the terms
 * around them. Accepts any string, never throws, and takes time linear in its length.
 */
export function* tokens(text: string): Generator<Token> {
  const clean = text.replace(BLANKS, ' ').replace(QUOTES, '"')
  const groups = OPERATOR.test(clean)
  let before = ''
  for (const match of (groups ? apart(clean) : clean).matchAll(TOKEN)) {
    const { minus, phrase, word } = match.groups ?? {}
    const content = (phrase ?? word ?? '').trim()
    const operator =
      word === undefined ? undefined : (OPERATORS.get(word) ?? (groups ? PARENTHESES.get(word) : undefined))
    // `-OR` excludes a word.
    if (operator !== undefined && (minus === undefined || operator === 'open')) {
      if (minus !== undefined) yield { type: 'not' }
      yield { type: operator }
    } else if (CONTENT.test(content)) {
      const isFlag = minus !== undefined && word !== undefined && isFlagOf(content, before)
      if (minus !== undefined && !isFlag) yield { type: 'not' }
      const type = phrase === undefined ? 'word' : 'phrase'
      yield { type: 'term', term: { type, text: isFlag ? `-${content}` : content } }
    }
    before = content
  }
}

/** Words after which comes a flag. */
const BEFORE_FLAG =
  /^(?:with|without|using|uses?|flags?|options?|switch|pass(?:es|ing)?|via|sets?|adds?|means?|what|is)$/iu

/** What only flags of command lines look like: `-Xmx512m`, `-fno-plt`, `-R`, `-k`, `-rf`, `-DNAME=1`. */
const FLAG = /[\p{Lu}\p{N}=_]|^[a-z]?no-|^[b-df-hj-np-tvwxz]{1,5}$|^[a-z]$/u

/**
 * Whether a word after a hyphen is a flag of a command line, which is searched for, and not a word to leave out: `compile
 * with -static`, `curl -k`.
 */
const isFlagOf = (word: string, before: string): boolean =>
  !OPERATORS.has(word) && !OPERATORS.has(before) && (FLAG.test(word) || BEFORE_FLAG.test(before))

/** Puts blanks round the parentheses that group. */
const apart = (text: string) =>
  text.replace(GROUPING, (found) => (found === '(' ? '( ' : found === ')' ? ' )' : found))

/** Whether a query has an operator. */
export const hasOperators = (text: string): boolean =>
  [...tokens(text)].some(({ type }) => type === 'or' || type === 'and' || type === 'not')
