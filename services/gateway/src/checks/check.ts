import type { Database } from '@daybook/postgres/connect'
import type { GatewayParts } from '../context.ts'

/**
 * - `OK`: as it should be
 * - `WARNING`: it works, but an operator should know or do something
 * - `FAILED`: it does not work
 */
export type CheckStatus = 'OK' | 'WARNING' | 'FAILED'

/** The result of one check. */
export interface Finding {
  readonly status: CheckStatus
  /** What was found, in a sentence for operators. */
  readonly message: string
  /** What to do about it; null where there is nothing to do. */
  readonly advice: string | null
}

/** A finding with the name of its check. */
export interface Check extends Finding {
  /** What was checked, in a word: `database`, `relay`. */
  readonly name: string
}

/** The parts that checks look at. */
export interface CheckedParts extends Pick<GatewayParts, 'bus' | 'embedders' | 'config' | 'logger'> {
  readonly db: Database
}

/** A finding that all is well. @param advice what an operator may still do */
export const ok = (message: string, advice: string | null = null): Finding => ({
  status: 'OK',
  message,
  advice,
})
/** A finding that an operator should know about. */
export const warning = (message: string, advice: string): Finding => ({ status: 'WARNING', message, advice })
/** A finding that something does not work. */
export const failed = (message: string, advice: string): Finding => ({ status: 'FAILED', message, advice })

/**
 * Joins the worst of several findings into one, with all their messages and advice.
 * @param fine the result if there are none
 */
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

/** Joins the texts, each once. */
const join = (texts: readonly (string | null)[]): string => [...new Set(texts.filter(Boolean))].join('; ')
