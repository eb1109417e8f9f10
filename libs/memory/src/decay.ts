/** Days after which an unused memory weighs half. */
export const HALF_LIFE_DAYS = 30

const DAY_MS = 86_400_000

/**
 * How fresh a memory is, from 1 (just written or read) towards 0: 0.5^(days / 30), an exponential forgetting
 * curve. It is computed on demand, so that no clock has to write it down.
 */
export function decayWeight(lastUsedAt: string, now: number): number {
  const days = Math.max(0, now - Date.parse(lastUsedAt)) / DAY_MS
  return 0.5 ** (days / HALF_LIFE_DAYS)
}
