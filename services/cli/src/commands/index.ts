import { readFile } from 'node:fs/promises'
import { basename, normalize, sep } from 'node:path'
import * as mutations from '@daybook/api/mutations'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { KEY_HELP, mutate } from '../client/mutate.ts'
import { addExamples, addNotes, invocation } from '../command.ts'
import { UsageError } from '../command-line.ts'
import { noteUnshared } from '../output/memory.ts'
import { print, printJson } from '../output/print.ts'
import { parseMetadata } from '../remember/common-options.ts'
import { describeOutcome, readText } from '../remember/remember-input.ts'
import type { Connection } from '../settings.ts'

/** Adds the arguments, options and action of `daybook index`. */
export function configureIndex(command: Command): void {
  command
    .argument('<file...>', 'text files; "-" reads standard input and needs --id')
    .option('--id <id>', 'the document’s id; a file’s path unless given. For one file only.')
    .option('--title <title>', 'its title; a file’s name unless given. For one file only.')
    .option('--metadata <json>', 'anything else, as a JSON object')
    .option('--context <name>', 'a namespace, such as a repository')
    .option('--idempotency-key <key>', `${KEY_HELP} For one file only.`)
    .action((files: string[], options: IndexOptions, self: Command) => index(files, options, self))
  addExamples(command, [
    'daybook index docs/*.md',
    'daybook index notes.txt --id notes --title "My notes" --context home',
    'pdftotext paper.pdf - | daybook index - --id paper.pdf',
  ])
  addNotes(
    command,
    'The same id again is a revision; where nothing differs, nothing is written. A text of more than 64 KiB becomes several linked documents. The most is 960 KiB.',
  )
}

interface IndexOptions {
  readonly id?: string
  readonly title?: string
  readonly metadata?: string
  readonly context?: string
  readonly idempotencyKey?: string
}

const INDEX = mutations.indexDocument('sequence duplicate outcome memory { id title shared }')

async function index(files: readonly string[], options: IndexOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const ofOne = (['id', 'title', 'idempotencyKey'] as const).find((name) => options[name] !== undefined)
  if (files.length > 1 && ofOne !== undefined)
    throw new UsageError(`--${ofOne === 'idempotencyKey' ? 'idempotency-key' : ofOne} is for one file`)
  if (files.includes('-') && options.id === undefined)
    throw new UsageError('A document from standard input needs an id: give it with --id')
  const indexed = []
  for (const file of files) {
    const one = await indexOne(connection, file, options)
    indexed.push(one)
    if (json) continue
    print(`${one.duplicate ? 'Already there' : describeOutcome(one.outcome)}: ${safeLine(one.externalId)}`)
    print(`${safeLine(one.id)}  (sequence ${one.sequence})`)
  }
  if (json) printJson({ documents: indexed })
}

async function indexOne(connection: Connection, file: string, options: IndexOptions) {
  // The same path on every system: ids go from one machine to another.
  const externalId = options.id ?? normalize(file).split(sep).join('/')
  const variables = {
    id: externalId,
    content: file === '-' ? await readText(process.stdin) : await readFileText(file),
    title: options.title ?? (file === '-' ? null : basename(file)),
    metadata: options.metadata === undefined ? null : parseMetadata(options.metadata),
    context: options.context ?? null,
  }
  const { memory, sequence, duplicate, outcome } = await mutate(
    connection,
    INDEX,
    (idempotencyKey) => ({ ...variables, idempotencyKey }),
    options.idempotencyKey,
  )
  noteUnshared(memory)
  return { externalId, id: memory.id, title: memory.title, sequence, duplicate, outcome }
}

async function readFileText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`${file} is not a text in UTF-8`)
  }
}
