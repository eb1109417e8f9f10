import { age } from '@daybook/memory/hit-lines'
import { safeLine } from '@daybook/memory/safe-text'
import { type Command, Option } from 'commander'
import {
  dropGeneration,
  type Generation,
  listOperations,
  readGenerations,
  rollback,
} from '../client/operations.ts'
import { addExamples, addNotes, invocation } from '../command.ts'
import { CliError, confirm, EXIT, UsageError } from '../command-line.ts'
import { checkProjection, PROJECTION_ARGUMENT, projectionsMeant } from '../operations/projections.ts'
import { operationsTable } from '../operations/render-ended.ts'
import {
  addOperationOptions,
  OPERATION_HELP,
  type OperationOptions,
  runOperations,
} from '../operations/run-operations.ts'
import { print, printJson, size, spoken } from '../output/print.ts'
import { table } from '../output/table.ts'
import type { Connection } from '../settings.ts'

/** Adds the arguments, options and action of `daybook reindex`. */
export function configureReindex(command: Command): void {
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
interface ReindexOptions extends OperationOptions {
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
  const { cancel, yes = false } = options
  if (options.list === true) return list({ connection, json })
  if (options.rollback === true) return goBack(projection, { connection, json })
  if (options.dropOld === true) return dropOld(projection, { connection, json, yes })
  if (cancel !== undefined)
    return (await import('../operations/run-operations.ts')).cancel(cancel === true ? projection : cancel, {
      connection,
      json,
      detach: options.detach === true,
    })
  if (projection === undefined)
    throw new UsageError('What is to be made again?', [
      `daybook reindex <projection>: ${PROJECTION_ARGUMENT}`,
    ])
  const projections = await projectionsMeant(connection, projection)
  const { model, regenerateEmbeddings, kinds, project, acceptParked, detach = false } = options
  const apiKinds =
    kinds === undefined
      ? undefined
      : (await import('../command-line.ts')).toApiKinds(kinds.split(',').map((one) => one.trim()))
  await runOperations(
    projections.map((name) => ({
      mutation: 'reindex',
      arguments: { projection: name, model, regenerateEmbeddings, kinds: apiKinds, project, acceptParked },
    })),
    { connection, json, detach },
  )
}

interface DropOptions {
  readonly connection: Connection
  readonly json: boolean
  readonly yes: boolean
}

/** Deletes the old generations of one projection, or of all, after asking. */
async function dropOld(given: string | undefined, { connection, json, yes }: DropOptions): Promise<void> {
  const old = (await readGenerations(connection)).filter(
    ({ projection, status }) =>
      status === 'OLD' && (given === undefined || given === 'all' || spoken(projection) === given),
  )
  if (old.length > 0)
    await confirm(`Delete ${old.map(describe).join(' and ')}? There is no rollback then.`, yes)
  for (const one of old) await dropGeneration(connection, one)
  if (json) return printJson({ dropped: old })
  if (old.length === 0) print('There is no old generation.')
  for (const one of old) print(`Generation ${one.generation} of ${spoken(one.projection)} is being deleted.`)
}

function describe({ projection, generation, bytes }: Generation): string {
  return `generation ${generation} of ${spoken(projection)}${bytes === null ? '' : ` (${size(bytes)})`}`
}

/** A table with one line per generation, over all projects. */
export function generationsTable(generations: readonly Generation[], now: number): string {
  return table(
    ['projection', 'generation', 'status', 'lag', 'parked', 'size', 'made', 'model'],
    generations.map((one) => [
      spoken(one.projection),
      one.generation,
      spoken(one.status),
      one.lag,
      one.parked,
      one.bytes === null ? '-' : size(one.bytes),
      age(one.createdAt, now),
      safeLine(one.model),
    ]),
  )
}

/** Prints the generations, and the recent operations. */
export async function list({ connection, json }: { connection: Connection; json: boolean }): Promise<void> {
  const generations = await readGenerations(connection)
  const operations = await listOperations(connection, { first: 10 })
  if (json) return printJson({ generations, operations })
  const now = Date.now()
  print(generationsTable(generations, now))
  if (operations.length > 0) print(`\n${operationsTable(operations, now)}`)
}

/**
 * Makes the generation live that was live before the last rebuild. The live one becomes old, so nothing is
 * lost.
 */
async function goBack(
  given: string | undefined,
  { connection, json }: { connection: Connection; json: boolean },
): Promise<void> {
  const old = (await readGenerations(connection)).filter(({ status }) => status === 'OLD')
  const there = [...new Set(old.map(({ projection }) => projection))]
  if (given === undefined && there.length > 1)
    throw new UsageError('Which projection is to go back?', [
      `It may be ${there.map(spoken).join(', ')} or all`,
    ])
  const projections = there.filter((name) => given === undefined || given === 'all' || spoken(name) === given)
  if (projections.length === 0)
    throw new CliError(
      EXIT.failed,
      'NOT_FOUND',
      `There is no old generation${given === undefined || given === 'all' ? '' : ` of ${given}`} to go back to.`,
      ['See what there is:  daybook reindex --list'],
    )
  const generations = []
  for (const projection of projections) {
    const live = await rollback(connection, projection)
    generations.push(live)
    if (!json) print(`Generation ${live.generation} of ${spoken(projection)} is live again.`)
  }
  if (json) printJson({ generations })
  else print('The same command undoes it.')
}
