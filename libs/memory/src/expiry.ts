import { check } from './check.ts'
import { COMMON_FIELDS } from './common-fields.ts'
import { ValidationError } from './errors.ts'
import type { MemoryState } from './state.ts'

/** Whether that moment has come. @param now RFC 3339, like `expiresAt`; null never comes */
export function hasExpired({ expiresAt }: Pick<MemoryState, 'expiresAt'>, now: string): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.parse(now)
}

/**
 * Refuses a moment that has passed: the memory would be gone at once.
 * @throws ValidationError
 */
export function requireLater(expiresAt: string | null, now: string): void {
  if (hasExpired({ expiresAt }, now))
    throw new ValidationError(
      'expiresAt',
      `must be later than now (${now}), but is ${expiresAt}: give a later moment, or none if it should stay`,
    )
}

/**
 * When a restored memory expires.
 * @param asked the new moment, unchecked; undefined: as in the state that comes back, or never if that moment
 * has passed, because the memory would be gone at once
 * @throws ValidationError if the new moment is none, or has passed
 */
export function restoredExpiry(back: MemoryState, asked: unknown, now: string): string | null {
  if (asked === undefined) return hasExpired(back, now) ? null : back.expiresAt
  const expiresAt = asked === null ? null : check('expiresAt', COMMON_FIELDS.expiresAt, asked)
  requireLater(expiresAt, now)
  return expiresAt
}

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
