import type { ComparedWord } from './compared-words.ts'
import type { DifferingPart } from './differing-parts.ts'

/*
 * Where in a sentence two texts differ. "The auth service listens on port 8080" and "The billing service listens on port
 * 8080" are about two things, and "… on port 8443" is another word about the first. There is no grammar here, only the order
 * of an English sentence: what stands before the first verb says what it is about. In texts of other languages most words are
 * before any verb that is known, so that few pairs are suspected.
 */

/** Verbs that sentences about programs have most often, as stems. Others are known by their ending. */
const VERBS = new Set(
  'is has have must should can may will use run liv chos choos need requir writ wrote written keep kept stor set build put send sent hash host start call work retry expir listen return deploy log go com tak mak hold check manag'.split(
    ' ',
  ),
)

/** Verbs of which one subject may do several. */
export const SEVERAL: ReadonlySet<string> = new Set(
  'lik lov speak know includ cover add own review contain ask drink eat support work tak giv'.split(' '),
)

/** After these stands what was chosen. */
export const CHOICES: ReadonlySet<string> = new Set(
  'use chos choos writ wrote written host run send sent keep kept stor build put call manag track'.split(' '),
)

/** What follows these says for which case something holds. */
const CASES = new Set('for of if when while during about under within per until'.split(' '))

/**
 * Where a part stands. Only a `value` is said of the same thing in the same case; at `predicate`, both texts say something else
 * of it.
 */
export function roleOf({
  older,
  newer,
  before,
  next,
}: DifferingPart): 'case' | 'subject' | 'predicate' | 'value' {
  const [previous, beforeThat] = [before.at(-1), before.at(-2)]
  if (previous !== undefined && CASES.has(previous.stem)) return 'case'
  if (previous?.isContent === true && beforeThat !== undefined && CASES.has(beforeThat.stem)) return 'case'
  const isObject = previous !== undefined && previous.stem !== 'is' && isVerb(previous, beforeThat)
  if (hasContent(before) && !isObject && older.some(looksLikeVerb) && newer.some(looksLikeVerb))
    return 'predicate'
  if (before.some((word, at) => isVerb(word, before[at - 1]))) return 'value'
  // "Nina is the owner of …": who it is, is what is said.
  return next?.isDefinite === true ? 'value' : 'subject'
}

const isVerb = (word: ComparedWord, previous: ComparedWord | undefined): boolean =>
  VERBS.has(word.stem) || (previous?.isContent === true && looksLikeVerb(word))

const looksLikeVerb = ({ written, stem, isNumber }: ComparedWord): boolean =>
  VERBS.has(stem) || (!isNumber && /^[a-z]+(?:[^s]s|ed)$/u.test(written))

/** Whether some of the words say something by themselves. */
export const hasContent = (words: readonly ComparedWord[]): boolean =>
  words.some(({ isContent }) => isContent)
