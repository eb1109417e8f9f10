import type { Memory } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { appliedMemories as appliedEvents } from '@daybook/projection/apply/applied-memories'
import type { GenerationRef } from '@daybook/projection/generations/generation-ref'
import type { RewriteOptions } from '@daybook/projection/verify/verifiable'

/** The memories as documents show them: their states at the generation's position, without parked events. */
export async function appliedMemories(
  scope: ProjectScope,
  place: GenerationRef,
  at: { memoryIds: readonly string[]; position: number } & RewriteOptions,
): Promise<Memory[]> {
  const applied = await appliedEvents(scope, place, at)
  return applied.map(({ newest: { data, version, sequence } }) => ({ state: data.state, version, sequence }))
}
