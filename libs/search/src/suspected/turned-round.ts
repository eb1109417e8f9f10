import type { DifferingPart } from './differing-parts.ts'

/** Words that turn a statement round where one stands for the other, as stems. */
const OPPOSITES = new Set(
  [
    'enabl disabl',
    'on off',
    'open clos',
    'before after',
    'optional requir',
    'optional mandatory',
    'allow forbid',
    'allow forbidden',
    'accept reject',
    'includ exclud',
    'true false',
    'public privat',
    'ascend descend',
    'first last',
    'minimum maximum',
    'increas decreas',
    'internal external',
    'sync async',
    'success failur',
  ].flatMap((pair) => [pair, pair.split(' ').toReversed().join(' ')]),
)

/** The words of a part in which opposites are looked for. */
const FEW = 8

/** Whether a part says the opposite: one side has a negation more, or a word stands for its opposite. */
export function isTurned({ older, newer }: DifferingPart): boolean {
  const negations = [...older, ...newer].filter(({ isNegation }) => isNegation).length
  if (negations % 2 === 1) return true
  // Where much differs, two words of it are no opposites.
  if (Math.max(older.length, newer.length) > FEW) return false
  return older.some(({ stem }) => newer.some((other) => isOpposite(stem, other.stem)))
}

const isOpposite = (one: string, other: string): boolean =>
  OPPOSITES.has(`${one} ${other}`) || isDenied(one, other) || isDenied(other, one)

/** `unsafe` of `safe`, `case-insensitive` of `case-sensitive`. */
function isDenied(one: string, other: string): boolean {
  const [last, otherLast] = [one.split('-').at(-1) ?? '', other.split('-').at(-1) ?? '']
  return (
    otherLast.length > 3 &&
    ['un', 'in', 'im', 'non', 'dis'].some((prefix) => last === prefix + otherLast) &&
    one.slice(0, -last.length) === other.slice(0, -otherLast.length)
  )
}
