import { type Command, Option } from 'commander'
import { UsageError } from '../cli-error.ts'
import { addExamples, addNotes, invocation } from '../command.ts'
import { addOperationOptions, OPERATION_HELP, type OperationOptions } from '../operations/options.ts'
import { checkProjection, PROJECTION_ARGUMENT, projectionsMeant } from '../operations/projections.ts'
import { runOperations } from '../operations/run-operations.ts'

/** Adds the arguments, options and action of `daybook reindex`. */
export function configure(command: Command): void {
  command.argument('[projection]', `what to rebuild: ${PROJECTION_ARGUMENT}`)
  command
    .option('--model <model>', 'with the vectors of another embedding model')
    .option(
      '--regenerate-embeddings',
      'make vectors again that exist already: all, or with --kinds those of some kinds',
    )
    .option('--kinds <kinds>', 'only memories of these kinds, rewritten in place: note,decision')
  command.option(
    '--accept-parked',
    'make the new generation live even if it could not apply events that the live one has applied',
  )
  addOperationOptions(command)
  command.optionsGroup('Instead of a rebuild:')
  const others = ['cancel', 'rollback', 'dropOld', 'list']
  const one = (flags: string, description: string, name: string) =>
    command.addOption(new Option(flags, description).conflicts(others.filter((other) => other !== name)))
  one('--list', 'show the generations that there are, and what is under way', 'list')
  one('--cancel [operation]', 'end what is under way, and clean up behind it', 'cancel')
  one('--rollback', 'make the previous generation live again', 'rollback')
  one('--drop-old', 'delete old generations for good', 'dropOld')
  command
    .option('--yes', 'do not ask before something is deleted')
    .action((projection: string | undefined, options: ReindexOptions, self: Command) =>
      reindex(projection, options, self),
    )
  addExamples(command, [
    'daybook reindex pgvector',
    'daybook reindex all --model minilm --detach',
    'daybook reindex typesense --kinds note,decision',
    'daybook reindex pgvector --kinds note --regenerate-embeddings',
    'daybook reindex pgvector --rollback',
    'daybook reindex --drop-old --yes',
  ])
  addNotes(
    command,
    `
A rebuild makes a new generation from the journal beside the live one, compares it with the journal, and only then lets
searches read it. Writes and searches go on meanwhile. The previous generation is kept up to date for a rollback, for
DAYBOOK_KEEP_GENERATION. A new generation is not made live if it could not apply events that the live one has applied.
With --project, that project's memories are rewritten in place, and its parked events are tried again.
${OPERATION_HELP}`,
  )
}

/** The options of `daybook reindex`, as commander gives them. */
export interface ReindexOptions extends OperationOptions {
  readonly model?: string
  readonly regenerateEmbeddings?: boolean
  readonly kinds?: string
  readonly acceptParked?: boolean
  readonly cancel?: string | true
  readonly rollback?: boolean
  readonly dropOld?: boolean
  readonly list?: boolean
  readonly yes?: boolean
}

async function reindex(
  projection: string | undefined,
  options: ReindexOptions,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  if (projection !== undefined) checkProjection(projection)
  const { cancel, rollback, dropOld, list, yes = false } = options
  if (list === true) return (await import('../reindex/list.ts')).list({ connection, json })
  if (rollback === true)
    return (await import('../reindex/rollback.ts')).goBack(projection, { connection, json })
  if (dropOld === true)
    return (await import('../reindex/drop-old.ts')).dropOld(projection, { connection, json, yes })
  if (cancel !== undefined)
    return (await import('../operations/cancel.ts')).cancel(cancel === true ? projection : cancel, {
      connection,
      json,
      detach: options.detach === true,
    })
  if (projection === undefined)
    throw new UsageError('What is to be made anew?', [`daybook reindex <projection>: ${PROJECTION_ARGUMENT}`])
  const projections = await projectionsMeant(connection, projection)
  const { model, regenerateEmbeddings, kinds, project, acceptParked, detach = false } = options
  const apiKinds =
    kinds === undefined
      ? undefined
      : (await import('../kinds.ts')).toApiKinds(kinds.split(',').map((one) => one.trim()))
  await runOperations(
    projections.map((name) => ({
      mutation: 'reindex',
      arguments: { projection: name, model, regenerateEmbeddings, kinds: apiKinds, project, acceptParked },
    })),
    { connection, json, detach },
  )
}
