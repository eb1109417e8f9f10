import type { RankedHit } from './rank.ts'

/**
 * How much more a hit counts if a person named in the question speaks in it. 1.3 as measured
 * (`docs/measurements.md#preferring-speakers`).
 */
const PREFERENCE = 1.3

/** "Ann: …", "Support (Jonas): …": a name of at most 40 characters, a colon, a blank. */
const SPEAKER = /^\s*(\p{Lu}[\p{L}\p{M} .'’()-]{0,39}):\s/u

/** Words that begin with a capital letter, without a genitive 's. */
const NAME = /(?<![\p{L}\p{M}\p{N}])\p{Lu}[\p{L}\p{M}]+/gu

/**
 * The possible names in a text: its capitalised words, in lower case. Words like "When" and "What" do no
 * harm, as no speaker has such a name.
 */
export function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.match(NAME)?.map((name) => name.toLowerCase()))
}

/** The names of the speaker in a text of the form `Name: what was said`; empty for any other text. */
export function speakersOf(text: string): ReadonlySet<string> {
  return namesIn(SPEAKER.exec(text)?.[1] ?? '')
}

/**
 * Prefers hits in which a person named in the question speaks: Ann herself tells what Ann does, while the
 * people she talks with mention her name more often. The scores of the other hits are lowered, so that all
 * stay within 0 to 1. If there is no such hit, nothing changes.
 *
 * @param ranked best first
 * @param names the names in the question
 * @param textOf the text of a hit, or its beginning; undefined if unknown
 * @returns the same hits in their new order, with the factor in `explanation.scale`
 */
export function preferSpeakers(
  ranked: readonly RankedHit[],
  names: ReadonlySet<string>,
  textOf: (memoryId: string) => string | undefined,
): readonly RankedHit[] {
  const isNamed = (name: string) => names.has(name)
  const spoken = new Set(
    ranked
      .filter(({ memoryId }) => [...speakersOf(textOf(memoryId) ?? '')].some(isNamed))
      .map((hit) => hit.memoryId),
  )
  if (spoken.size === 0) return ranked
  return ranked
    .map((hit) => (spoken.has(hit.memoryId) ? hit : lowered(hit)))
    .toSorted((a, b) => b.score - a.score || (a.memoryId < b.memoryId ? -1 : 1))
}

function lowered(hit: RankedHit): RankedHit {
  const { scale } = hit.explanation
  const score = hit.score / PREFERENCE
  return { ...hit, score, explanation: { ...hit.explanation, scale: scale / PREFERENCE, score } }
}
