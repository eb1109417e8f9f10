import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import { reasonOf } from '@daybook/runtime/reason-of'
import type { FollowedChange } from './followed-projects.ts'

/** The home cannot be followed as it is: a person has to do something. */
export class HomeRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'HomeRefused'
  }
}

/** Following is paused until a person has decided: the home does what no home should. Writes go into the branch. */
export class NeedsPerson extends UnavailableError {}

/** What is noted of a followed project whose home failed. */
export function stateAfter(error: unknown): FollowedChange {
  const problem = reasonOf(error).slice(0, 1_000)
  if (error instanceof NeedsPerson) return { state: 'OFFLINE', paused: true, problem }
  const refuses =
    error instanceof HomeRefused ||
    (error instanceof DaybookError &&
      ['UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'PROJECT_DELETED'].includes(error.code))
  return { state: refuses ? 'REFUSED' : 'OFFLINE', problem }
}
