import { createRandom, type Random } from '../src/support/random.ts'

/** Function words take the first ranks, as in English; Postgres drops them. */
export const STOP_WORDS: readonly string[] =
  'the of and to a in is it you that he was for on are with as i his they be at have this from or had by not but what all were when we there can an your which their if do will each how them then she so her has him'.split(
    ' ',
  )
const SYLLABLES =
  'ba be bo ca ce co da de do fa fe fi ga go ha hi ja jo ka ke ki la le lo ma me mi mo na ne no pa pe po ra re ri ro sa se si so ta te ti to va ve vi wa we zo tra sta pla gre bri clo'.split(
    ' ',
  )

/**
 * Draws words with frequencies like a language's: the word of rank r is drawn in proportion to 1/r (Zipf).
 */
export function createVocabulary(random: Random, size = 20_000): () => string {
  const words = new Set(STOP_WORDS)
  while (words.size < size) {
    const syllables = Array.from({ length: random.between(2, 4) }, () => random.oneOf(SYLLABLES))
    words.add(syllables.join(''))
  }
  const list = [...words]
  const cumulative: number[] = []
  let sum = 0
  for (let rank = 1; rank <= list.length; rank += 1) cumulative.push((sum += 1 / rank))
  return () => {
    const drawn = random.next() * sum
    let low = 0
    let high = list.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((cumulative[middle] ?? 0) < drawn) low = middle + 1
      else high = middle
    }
    return list[low] ?? 'the'
  }
}

/** A sentence of `least` to `most` words. */
export const sentence = (random: Random, word: () => string, least: number, most: number): string =>
  Array.from({ length: random.between(least, most) }, word).join(' ')

/** A random direction. */
export function unitVector(random: Random, dimension: number): Float32Array {
  const vector = Float32Array.from(
    { length: dimension },
    () => random.next() + random.next() + random.next() - 1.5,
  )
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/**
 * Questions of 4 to 12 words from the same vocabulary, one of them at least no stop word. All words are known: of 119
 * questions of LoCoMo among 25,000 real texts, one had a long word that no text has, which is looked up for typos.
 */
export function questions(count: number): readonly string[] {
  const word = createVocabulary(createRandom(50))
  const random = createRandom(51)
  const telling = (): string => {
    const drawn = word()
    return STOP_WORDS.includes(drawn) ? telling() : drawn
  }
  return Array.from({ length: count }, () => `${sentence(random, word, 3, 11)} ${telling()}`)
}
