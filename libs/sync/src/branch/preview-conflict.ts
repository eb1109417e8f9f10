import { readContext } from '@daybook/journal/append/batch-context'
import { decideCommand } from '@daybook/journal/append/decide-command'
import { decodeCommand } from '@daybook/memory/decode/decode-command'
import { diffStates, type StateDiff } from '@daybook/memory/diff-versions'
import { DaybookError } from '@daybook/memory/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { effectiveCommand } from './branch-commands.ts'
import type { SyncConflict } from './conflicts.ts'

/**
 * What a conflict's command would change in its memory as it is here now, so what `MINE` comes to if nothing happens until
 * then. It writes nothing.
 * @returns null if it would be refused or make a new memory
 */
export async function previewConflict(
  { db, projectId }: ProjectScope,
  conflict: SyncConflict,
): Promise<StateDiff | null> {
  const { command: given, memoryId, metadata, givenAt: now } = conflict
  try {
    const command = decodeCommand(effectiveCommand({ command: given, memoryId, baseVersion: null }, false))
    const context = await readContext(db, projectId, [{ command, metadata }])
    // The moment only dates the event, and says whether an expiry has passed: when it was given is as good as now.
    const { before, events } = decideCommand(context, command, now)
    if (before === null) return null
    const event = events.findLast(({ memoryId: of }) => of === before.state.id)
    return diffStates(before.state, event?.data.state ?? before.state)
  } catch (error) {
    if (error instanceof DaybookError) return null
    throw error
  }
}
