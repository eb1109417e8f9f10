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
    meaning: 'The latest wins; both are in the history',
  },
  { rule: 'ASK', name: 'ask me', meaning: 'Ask me; the change waits until then' },
]
