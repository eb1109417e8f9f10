import { readHash } from '@daybook/journal/chain/read-chain'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { pause } from '@daybook/runtime/backoff'
import { readFollowed } from '@daybook/sync/follower/followed-projects'
import type { NamedPlace } from '../journal-page.ts'

/** Milliseconds between two looks at the copy. */
const POLL_MS = 50

/**
 * Waits until a copy has got as far as a place that its home has given out: a receipt of the home may be here before its
 * event. Returns at once if the event is here, and for projects that follow nobody.
 * @returns null; or how far the copy is, in words, if the time ran out
 */
export async function waitForCopy(
  project: ProjectScope,
  { sequence, hash }: NamedPlace,
  timeoutMs: number,
): Promise<string | null> {
  for (const deadline = Date.now() + timeoutMs; ; await pause(POLL_MS)) {
    const stored = await readHash(project, sequence)
    if (stored !== null && (hash === null || stored === hash)) return null
    const followed = await readFollowed(project)
    if (followed === null || followed.copied.sequence >= sequence) return null
    if (Date.now() >= deadline)
      return `the copy of its home’s journal is at sequence ${followed.copied.sequence}, behind the ${sequence} asked for: try again in a moment, or see daybook sync status`
  }
}
