import { DaybookError } from '@daybook/memory/errors'

/** The project's home is another Daybook, which alone gives out sequences: what is written goes there, or to the branch. */
export class FollowedError extends DaybookError {
  constructor(projectId: string) {
    super(
      'REFUSED',
      `The project ${projectId} follows another Daybook, its home, where this has to be done: daybook sync status says which`,
    )
  }
}
