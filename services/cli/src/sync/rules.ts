import type { Followed } from './sync-documents.ts'

/** The rules for conflicts, as people write them. */
export const RULE_NAMES = ['latest-wins', 'ask'] as const

/** One of them. */
export type RuleName = (typeof RULE_NAMES)[number]

/** A rule for conflicts as the API has it. */
export const ruleFrom = (name: RuleName): Followed['rule'] => (name === 'ask' ? 'ASK' : 'LATEST_WINS')

/** The rules in words. */
export const RULES: Readonly<Record<Followed['rule'], string>> = {
  LATEST_WINS: 'the latest wins, with both in the history',
  ASK: 'a person decides',
}
