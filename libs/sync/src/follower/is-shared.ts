import { readHash } from '@daybook/journal/chain/read-chain'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { readFollowed } from './followed-projects.ts'

/** The place of a memory's newest event. A receipt has the event's hash, because it may be the home's and not here yet. */
export interface EventPlace {
  readonly sequence: number
  readonly hash?: string
}

/**
 * Creates a check whether a memory's newest version is at the project's home. What follows the home's events in a copy is
 * the branch's. The project is looked at once, when the first memory is.
 */
export function createSharedCheck(scope: ProjectScope): (memory: EventPlace) => Promise<boolean> {
  let copied: Promise<number | null> | undefined
  return async ({ sequence, hash }) => {
    copied ??= readFollowed(scope).then((followed) => followed?.copied.sequence ?? null)
    const upTo = await copied
    if (upTo === null || sequence <= upTo) return true
    return hash !== undefined && (await readHash(scope, sequence)) !== hash
  }
}
