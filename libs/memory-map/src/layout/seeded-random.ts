/**
 * A source of random numbers from 0 to 1 (1 excluded) that gives the same ones for the same seed: mulberry32 by Tommy
 * Ettinger. A map that is made again from the same vectors looks the same.
 */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
