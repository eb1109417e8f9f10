/** Repeatable randomness: the same seed gives the same choices. Never use it for secrets. */
export interface Random {
  /** In [0, 1). */
  next(): number
  /** A whole number from `least` to `most`, inclusive. */
  between(least: number, most: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  /** A random item. @throws if the list is empty */
  oneOf<T>(choices: readonly T[]): T
}

/** mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
export function createRandom(seed: number): Random {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    oneOf: <T>(choices: readonly T[]) => {
      if (choices.length === 0) throw new Error('there is nothing to choose from')
      return choices[Math.floor(next() * choices.length)] as T
    },
  }
}

/** The seed for a part of a run, so that the draws of one part do not change those of another. */
export function derivedSeed(seed: number, ...part: readonly number[]): number {
  // Mix the seed first. Without that, of seeds 78 and 79, one's round 1 was the other's round 2.
  const mixed = Math.imul(seed ^ (seed >>> 16), 0x45d9f3b)
  return part.reduce((sum, one) => Math.imul(sum ^ (one + 0x9e3779b9), 0x85ebca6b) ^ (sum >>> 13), mixed)
}
