import type { UndoAsked } from '@daybook/client/documents/undo'
import type { Command } from 'commander'
import { UsageError } from '../cli-error.ts'
import { readOperation } from '../client/operations.ts'
import { addExamples, addNotes, collect, invocation, sinceMoment } from '../command.ts'
import { OPERATION_HELP } from '../operations/options.ts'
import { addFilterOptions, filterFrom } from '../search/filter-options.ts'
import { runUndo, type UndoChoices } from '../undo/run-undo.ts'

/** Adds the options and action of `daybook undo`. */
export function configure(command: Command): void {
  command.option(
    '--since <time>',
    'from when on: 30m, 2h, 7d ago, or a date or time (needed without --operation)',
    sinceMoment,
  )
  addFilterOptions(command)
    .option('--actor <key>', 'only what was written with the API key of this name')
    .option('--key <id>', 'only what was written with this API key; may be repeated', collect)
    .option('--correlation-id <id>', 'only what requests with this x-correlation-id wrote: one session')
    .option('--operation <id>', 'what this undo did: takes it back')
    .option('--everything', 'all that happened since; needed if nothing else says what')
    .option('--dry-run', 'only show what would be done')
    .option('--yes', 'do not ask')
    .option('--detach', 'do not wait for the end')
    .action((options: UndoOptions, self: Command) => undo(options, self))
  addExamples(command, [
    'daybook undo --context shop --since 1h',
    'daybook undo --agent planner --since 2026-11-21T09:30:00Z --dry-run',
    'daybook undo --operation 0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
  ])
  addNotes(
    command,
    `
What was remembered since is forgotten; what was revised, forgotten or restored goes back to the version before. A memory
that somebody else has changed since stays as it is, and is named. First it shows what would be done, and asks. Nothing is
lost: an undo writes events, and can be undone. With --json and without --yes it only shows what would be done.
${OPERATION_HELP}`,
  )
}

interface UndoOptions extends UndoChoices {
  readonly since?: string
  readonly actor?: string
  readonly key?: readonly string[]
  readonly correlationId?: string
  readonly operation?: string
  readonly everything?: boolean
}

async function undo(options: UndoOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { actor, operation, key } = options
  const of = operation === undefined ? null : await readOperation(connection, operation)
  const since = options.since ?? of?.createdAt
  if (since === undefined)
    throw new UsageError('Since when?', ['daybook undo --context shop --since 1h', 'or --operation <id>'])
  const asked: UndoAsked = {
    filter: await filterFrom(command),
    since,
    actor,
    correlationId: operation ?? options.correlationId,
    writer: key === undefined ? undefined : { keyIds: [...key] },
    everything: options.everything === true,
  }
  await runUndo(asked, options, { connection, json })
}
