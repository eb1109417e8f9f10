import { LIMITS } from '@daybook/memory/limits'
import type { Random } from '../../support/random.ts'

const { nameCharacters: NAME, labelCharacters: LABEL, textBytes: TEXT, memoriesPerCall: MOST } = LIMITS

/** Lengths at which something is refused, and the one before. */
const LENGTHS = [0, 1, LABEL, LABEL + 1, NAME, NAME + 1, TEXT, TEXT + 1]

const TEXTS: readonly ((random: Random) => string)[] = [
  (random) => 'x'.repeat(random.oneOf(LENGTHS)),
  (random) => '🦜'.repeat(random.oneOf([1, NAME, TEXT / 4 + 1])),
  () => 'a\u0000b',
  () => '\ud800 alone',
  () => '\u202Eright to left\u2066 and \u200bnothing',
  () => 'e\u0301\u0323 \u1100\u1161 ﷽ ﬁ',
  () => '\u001b[2J\r\n\u2028\u0085 lines',
  () => `"quoted' -- \`; DROP TABLE events; $1 %s {{x}} \\u0000`,
  () => 'note:',
  () => 'note:0192f0c1-0000-7000-8000-000000000000',
  () => 'insight:0192f0c1-0000-7000-8000-00000000000z',
  () => '2026-02-30T25:61:00Z',
  () => '9999-12-31T23:59:59.999999Z',
  () => '   ',
]

const OTHERS: readonly ((random: Random) => unknown)[] = [
  () => null,
  () => true,
  (random) => random.oneOf([0, -1, 1, 10, 11, 100, 101, 0.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e300]),
  () => [],
  () => ({}),
  () => JSON.parse('{"__proto__": {"admin": true}, "constructor": 1, "toString": null}') as unknown,
  (random) => Array.from({ length: random.oneOf([1, 50, 51, MOST + 1, 20_000]) }, () => 'x'),
  (random) => Array.from({ length: random.oneOf([1, 51, MOST + 1]) }, () => ({ id: 'note:x', kind: 'note' })),
  (random) => nested(random.oneOf([LIMITS.metadataDepth, LIMITS.metadataDepth + 1, 1_000])),
]

function nested(depth: number): unknown {
  let value: unknown = 'deep'
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? { in: value } : [value]
  return value
}

/** A text of another length, or with other characters, than one usually has. */
export const strangeText = (random: Random): string => random.oneOf(TEXTS)(random)

/** Something that an argument rarely is: another type, another length, other characters. */
export const strangeValue = (random: Random): unknown =>
  random.chance(0.6) ? strangeText(random) : random.oneOf(OTHERS)(random)
