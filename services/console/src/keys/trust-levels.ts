import type { TrustLevel } from '../api/keys.ts'

/** The levels of trust, and what a key has to be for each. */
export const TRUST_LEVELS: readonly {
  readonly level: TrustLevel
  readonly name: string
  readonly meaning: string
}[] = [
  { level: 'LOW', name: 'low', meaning: 'takes in what others say: web pages, mails, issues of strangers' },
  { level: 'NORMAL', name: 'normal', meaning: 'an agent at work' },
  { level: 'HIGH', name: 'high', meaning: 'people, and what they have checked' },
]
