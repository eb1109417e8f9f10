import type { ConflictRule } from '../api/sync.ts'

/** How conflicts are resolved, the default first. */
export const RULES: readonly {
  readonly rule: ConflictRule
  readonly name: string
  readonly meaning: string
}[] = [
  {
    rule: 'LATEST_WINS',
    name: 'the latest wins',
    meaning: 'The latest wins: mine is made on top; both are in the history',
  },
  { rule: 'ASK', name: 'ask me', meaning: 'Ask me: mine waits until a person decides' },
]
