import { folded } from '@daybook/memory/fold-words'

/** A word of a text as it is compared with those of another one. */
export interface ComparedWord {
  /** As it is written. */
  readonly written: string
  /** Without case, accents and the endings of English: `uses` and `used` are one word. */
  readonly stem: string
  /** Whether it says something by itself; the others hold a sentence together. */
  readonly isContent: boolean
  /** It has a digit, or is a number up to twelve in words. */
  readonly isNumber: boolean
  readonly isNegation: boolean
  /** It is a form of `is`, and `the` or `our` follows: `is the owner`. */
  readonly isDefinite: boolean
  /** It is `was` or `were`. */
  readonly isPast: boolean
}

/** Words that change nothing of what a sentence says. */
const FILLERS = new Set(
  'the a an all every each our we you your they their i my now also always just currently already please s'.split(
    ' ',
  ),
)

/** Words that hold a sentence together; `is` stands for all of its forms. */
const FRAME = new Set(
  'is has have had do does did to of in on at by with for from as and or if when while during per it its that this these those there then than so must should will would can could may might into through via about after before because under within'.split(
    ' ',
  ),
)

const IS = new Set('is are was were be been being am get gets got'.split(' '))

const NEGATIONS = new Set('not no never without neither nor kein nicht nie'.split(' '))

const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')

/** Words of which one is as good as the other. */
const SAME: Readonly<Record<string, string>> = {
  single: '1',
  larger: 'bigger',
  use: 'use',
  uses: 'use',
  used: 'use',
  using: 'use',
}

/** Words with what belongs inside: `node:18-alpine`, `checkout.spec.ts`, `02:00`, `4,000`. */
const WORD = /[\p{L}\p{N}]+(?:[-_./:,'’][\p{L}\p{N}]+)*/gu

/** The words of a text in order, without fillers. */
export function comparedWords(text: string): ComparedWord[] {
  const plain = folded(text)
    .replace(/\bcan(?:not|['’]t)\b/gu, 'can not')
    .replace(/\bwon['’]t\b/gu, 'will not')
    .replace(/n['’]t\b/gu, ' not')
    .replace(/['’]s\b/gu, '')
    .replace(/\bbecause of\b/gu, 'because')
  // Folding may change lengths, so what is shown is looked up word by word.
  const originals = new Map(
    [...text.matchAll(WORD)].map(([word]) => [folded(word).replace(/['’]s$/u, ''), word]),
  )
  return (plain.match(WORD) ?? [])
    .flatMap((word) => (/^[\p{L}]+,[\p{L}]+$/u.test(word) ? word.split(',') : [word]))
    .flatMap((word, at, all) =>
      FILLERS.has(word)
        ? []
        : [comparedWord(word, originals.get(word) ?? word, DEFINITE.has(all[at + 1] ?? ''))],
    )
}

const DEFINITE = new Set(['the', 'our', 'my'])

function comparedWord(word: string, written: string, isBeforeDefinite: boolean): ComparedWord {
  const counted = NUMBERS.indexOf(word)
  const same = counted === -1 ? (SAME[word] ?? word) : String(counted)
  const stem = IS.has(same) ? 'is' : stemOf(same.replaceAll(/(?<=\p{N}),(?=\p{N}{3})/gu, ''))
  const isNegation = NEGATIONS.has(word)
  return {
    written,
    stem,
    isContent: !isNegation && !FRAME.has(stem) && !FRAME.has(same),
    isNumber: /\p{N}/u.test(stem),
    isNegation,
    isDefinite: IS.has(same) && isBeforeDefinite,
    isPast: word === 'was' || word === 'were',
  }
}

/** Enough of English's endings that forms of one word meet. Names and numbers stay as they are. */
function stemOf(word: string): string {
  if (/[^a-z]/u.test(word) || word.length < 4) return word
  const spelled = word.replace(/(?<=..)is(?=e|ed|es|ing|ation)/u, 'iz')
  const stem = spelled.replace(/(?<=..)ies$/u, 'y').replace(/(?<=...)(?:ing|ed|es|e|s)$/u, '')
  return stem.replace(/(?<=..)([bdgmnprt])\1$/u, '$1')
}
