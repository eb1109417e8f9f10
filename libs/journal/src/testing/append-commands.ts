import type { Command } from '@daybook/memory/commands'
import type { Memory } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { JournalWriter } from '../append/journal-writer.ts'
import { NOBODY } from './requests.ts'

/** Appends commands in one batch, without metadata. @returns their memories @throws the first failure */
export async function appendCommands(
  writer: JournalWriter,
  scope: ProjectScope,
  commands: readonly Command[],
): Promise<Memory[]> {
  const outcomes = await writer.appendMany(
    scope,
    commands.map((command) => ({ command, metadata: NOBODY })),
  )
  return outcomes.map((outcome) => {
    if ('error' in outcome) throw outcome.error
    return outcome.appended.memory
  })
}
