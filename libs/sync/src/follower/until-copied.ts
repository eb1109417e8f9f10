import type { ProjectScope } from '@daybook/postgres/project-scope'
import { pause } from '@daybook/runtime/backoff'
import { readFollowed } from './followed-projects.ts'

/**
 * Waits until the copy has an event of the home's, or follows it no more.
 * @param mostMs milliseconds after which it waits no longer. Default: as long as it takes
 */
export async function untilCopied(
  scope: ProjectScope,
  sequence: number,
  {
    mostMs = Number.POSITIVE_INFINITY,
    signal,
  }: { readonly mostMs?: number; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const end = performance.now() + mostMs
  let waitMs = 2
  while (performance.now() < end) {
    const followed = await readFollowed(scope)
    if (followed === null || followed.copied.sequence >= sequence) return
    await pause(waitMs, signal)
    if (signal?.aborted === true) return
    waitMs = Math.min(50, waitMs * 2)
  }
}
