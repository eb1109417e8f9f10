import type { Database } from '@daybook/postgres/connect'
import type { GatewayParts } from '../parts.ts'

/**
 * - `OK`: as it should be
 * - `WARNING`: it works, and something about it should be known or done
 * - `FAILED`: it does not work
 */
export type CheckStatus = 'OK' | 'WARNING' | 'FAILED'

/** What came of looking at one thing. */
export interface Finding {
  readonly status: CheckStatus
  /** What was found, in a sentence for operators. */
  readonly message: string
  /** What to do about it; null where there is nothing to do. */
  readonly advice: string | null
}

export interface Check extends Finding {
  /** What was looked at, in a word: `database`, `relay`. */
  readonly name: string
}

/** What checks look at. */
export interface CheckedParts extends Pick<GatewayParts, 'bus' | 'embedders' | 'config' | 'logger'> {
  readonly db: Database
}

export const ok = (message: string, advice: string | null = null): Finding => ({
  status: 'OK',
  message,
  advice,
})
export const warning = (message: string, advice: string): Finding => ({ status: 'WARNING', message, advice })
export const failed = (message: string, advice: string): Finding => ({ status: 'FAILED', message, advice })

/** The worst of several findings, with the messages and advice of all that are as bad. @param fine where there is none */
export function worst(findings: readonly Finding[], fine: Finding): Finding {
  for (const status of ['FAILED', 'WARNING'] as const) {
    const found = findings.filter((one) => one.status === status)
    if (found.length > 0)
      return {
        status,
        message: join(found.map(({ message }) => message)),
        advice: join(found.map(({ advice }) => advice)),
      }
  }
  return fine
}

/** Each once. */
const join = (texts: readonly (string | null)[]): string => [...new Set(texts.filter(Boolean))].join('; ')
