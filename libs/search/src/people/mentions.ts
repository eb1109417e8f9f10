import { folded } from '@daybook/memory/fold-words'
import { type MemoryState, textOf, titleOf } from '@daybook/memory/state'
import { type RawBuilder, sql } from 'kysely'

/** The words of a name, folded: `José-Luis` has jose and luis. Empty if it has none. */
export const wordsOfName = (name: string): string[] => folded(name).match(/[\p{L}\p{N}]+/gu) ?? []

/** Scripts that do not set words apart, or join them with endings: a name there needs nothing around it. */
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/** Makes the check whether a memory names somebody in its title or text: as whole words, whatever the accents. */
export function mentions(words: readonly string[]): (state: MemoryState) => boolean {
  const [first = '', last = ''] = [words[0]?.at(0), words.at(-1)?.at(-1)]
  const [before, after] = [edge(first, '(?<![\\p{L}\\p{N}_])'), edge(last, '(?![\\p{L}\\p{N}_])')]
  // Up to 3 signs between two words: "Lovelace, Ada" is another order, "Jean - Luc" is not.
  const pattern = new RegExp(`${before}${words.join('[^\\p{L}\\p{N}]{1,3}')}${after}`, 'u')
  return (state) => pattern.test(folded(`${titleOf(state)}\n${textOf(state)}`))
}

const edge = (character: string, boundary: string) => (WITHOUT_BLANKS.test(character) ? '' : boundary)

/** The letters that fold to each plain letter, in both cases: é, É, ễ, ｅ, … of e. */
const ACCENTED = ((): ReadonlyMap<string, string> => {
  const letters = new Map<string, string>()
  const ranges = [
    [0xc0, 0x24f],
    [0x370, 0x52f],
    [0x621, 0x6d3],
    [0x1e00, 0x1fff],
    [0xff21, 0xff9d],
  ] as const
  for (const [from, to] of ranges)
    for (let code = from; code <= to; code += 1) {
      const letter = String.fromCodePoint(code)
      const plain = folded(letter)
      if (plain.length === 1 && plain !== letter && /\p{L}/u.test(letter))
        letters.set(plain, (letters.get(plain) ?? '') + letter)
    }
  return letters
})()

/** What may stand on a letter or behind it: accents, signs of vowels, the stroke that stretches Arabic, marks on kana. */
const MARKS = '[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u3099\u309a\uff9e\uff9f]*'

/** A letter in any case, with any accent and in any form of Unicode, as a regular expression of Postgres. */
function anyOf(letter: string): string {
  const forms = new Set([letter, letter.normalize('NFD').replaceAll(/\p{M}/gu, '')])
  const written = [...forms].map((form) =>
    Array.from(form, (one) => `[${one}${one.toUpperCase()}${ACCENTED.get(one) ?? ''}]`).join(''),
  )
  return `(?:${written.join('|')})${MARKS}`
}

/**
 * A condition over `m` that every memory satisfies that `mentions` accepts, and few others. Postgres applies it to
 * the content as JSON, where line ends are written \n.
 */
export function mayMention(words: readonly string[]): RawBuilder<boolean> {
  const [first = '', last = ''] = [words[0]?.at(0), words.at(-1)?.at(-1)]
  const said = words.map((word) => Array.from(word, anyOf).join('')).join('.{1,6}?')
  const before = edge(first, '(^|[^[:alnum:]]|\\\\[nrtbf])')
  const pattern = `${before}${said}${edge(last, '($|[^[:alnum:]])')}`
  return sql<boolean>`(m.state->'content')::text ~ ${pattern}`
}
