/** The half-life unless the setting says otherwise: 30 days, in milliseconds. */
export const HALF_LIFE_MS = 30 * 86_400_000

/**
 * How fresh a memory is, from 1 (just written or read) towards 0: 0.5^(time / half-life), an exponential
 * forgetting curve. It is computed on demand, so that no clock has to write it down.
 *
 * @param lastUsed when it was last used, in RFC 3339 or in milliseconds since 1970, like `now`
 * @param halfLifeMs after which an unused memory weighs half
 */
export function decayWeight(lastUsed: string | number, now: number, halfLifeMs = HALF_LIFE_MS): number {
  const used = typeof lastUsed === 'number' ? lastUsed : Date.parse(lastUsed)
  return 0.5 ** (Math.max(0, now - used) / halfLifeMs)
}
