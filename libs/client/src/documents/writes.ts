import type { ReadonlyInput, ResultOf, VariablesOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'

/*
 * Writes. Of the memory they ask only for what a key without the scope READ may see as well.
 */

const CHANGED = 'sequence hash duplicate memory { id kind version }'
const REMEMBERED = 'sequence hash duplicate outcome memory { id kind version }'

export const REMEMBER = mutations.remember(REMEMBERED)

export const REMEMBER_MANY = mutations.rememberMany(REMEMBERED)

export const INDEX_DOCUMENT = mutations.indexDocument(REMEMBERED)

export const REVISE = mutations.revise(CHANGED)

export const FORGET = mutations.forget(CHANGED)

export const RESTORE = mutations.restore(CHANGED)

export const RESOLVE_TODO = mutations.resolveTodo(CHANGED)

export const REOPEN_TODO = mutations.reopenTodo(CHANGED)

export const CLOSE_SESSION = mutations.closeSession(CHANGED)

export const UNDO = mutations.undo(`
  dryRun changed refused sequence operation { id }
  changes { memoryId action title fromVersion toVersion }
  refusals { memoryId title code reason }`)

/** What a change of one memory answers. */
export type ChangedAnswer = ResultOf<typeof REVISE | typeof FORGET>['result']

/** What remembering answers. */
export type RememberedAnswer = ResultOf<typeof REMEMBER>['result']

/** Asks what an undo would do, if it is sent with `dryRun: true`. */
export const PLAN_UNDO = mutations.undo(`
  changed refused sequence
  changes(first: 1000) { memoryId title action happened fromVersion toVersion }
  refusals(first: 1000) { memoryId title happened code reason }`)

/** What is to be undone. */
export type UndoAsked = Omit<ReadonlyInput<VariablesOf<typeof PLAN_UNDO>>, 'dryRun'>

/** What an undo would do. */
export type UndoPlan = Extract<ResultOf<typeof PLAN_UNDO>['result'], { readonly changed: number }>
