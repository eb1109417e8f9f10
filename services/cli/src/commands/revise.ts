import type { InputOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import * as queries from '@daybook/api/queries'
import { isKindName, type KindName } from '@daybook/memory/kinds/index'
import { safeLine } from '@daybook/memory/safe-text'
import type { Command } from 'commander'
import { ID_OR_NUMBER_HELP, memoryId } from '../client/memory-id.ts'
import { KEY_HELP, mutate } from '../client/mutate.ts'
import { notFound, request } from '../client/request.ts'
import { addExamples, addNotes, collect, invocation, wholeNumber } from '../command.ts'
import { UsageError } from '../command-line.ts'
import { noteUnshared } from '../output/memory.ts'
import { print, printJson } from '../output/print.ts'
import { addCommonOptions } from '../remember/common-options.ts'
import { kindOptions, readText, reviseInput } from '../remember/remember-input.ts'
import type { Connection } from '../settings.ts'

/** Adds the arguments, options and action of `daybook revise`. */
export function configureRevise(command: Command): void {
  command
    .argument('<id>', ID_OR_NUMBER_HELP)
    .argument('[text...]', 'the new text; "-" reads standard input')
    .option(
      '--set <field=value>',
      'a field of its kind, such as reasoning="One store". May be repeated.',
      collect,
    )
    .option(
      '--clear <field>',
      'empties an optional field, its kind’s or a common one. May be repeated.',
      collect,
    )
  addCommonOptions(command, 'revise')
  command
    .option('--expected-version <n>', 'refuse if it has another version by now', wholeNumber(1))
    .option('--idempotency-key <key>', KEY_HELP)
    .action((id: string, words: string[], options: ReviseOptions, self: Command) =>
      revise(id, words, options, self),
    )
  addExamples(command, [
    'daybook revise note:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d "The build needs Node 22"',
    'daybook revise decision:0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d --set reasoning="Measured" --importance 9',
    'daybook revise 0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d --clear context',
  ])
  addNotes(
    command,
    'Only what is given changes. The earlier version stays: `daybook history` shows it, `daybook restore` brings it back.',
  )
}

/** The options of `daybook revise`, as commander gives them. */
interface ReviseOptions {
  readonly expectedVersion?: number
  readonly idempotencyKey?: string
}

const REVISE = mutations.revise('sequence duplicate memory { id title version shared }')

async function revise(
  given: string,
  words: readonly string[],
  { expectedVersion, idempotencyKey: key }: ReviseOptions,
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const id = await memoryId(connection, given)
  const kind = await kindOf(connection, id)
  const text = words.length === 1 && words[0] === '-' ? await readText(process.stdin) : words.join(' ')
  const input = reviseInput(kind, kindOptions(kind), text === '' ? null : text, command.opts())
  if (Object.keys(input).length === 0)
    throw new UsageError('Nothing is to be changed', ['daybook revise --help'])
  const { memory, sequence, duplicate } = await mutate(
    connection,
    REVISE,
    (idempotencyKey) => ({ id, input: input as InputOf<'ReviseInput'>, expectedVersion, idempotencyKey }),
    key,
  )
  noteUnshared(memory)
  if (json) return printJson({ memory, sequence, duplicate })
  print(`Revised: ${safeLine(memory.title)}`)
  print(`${safeLine(memory.id)}  (version ${memory.version}, sequence ${sequence})`)
}

const KIND = queries.memory('kind')

/** The kind that an id names, or that the memory has. */
async function kindOf(connection: Connection, id: string): Promise<KindName> {
  const named = id.split(':', 1)[0]?.toLowerCase() ?? ''
  if (id.includes(':') && isKindName(named)) return named
  const { memory } = await request(connection, KIND, { id })
  if (memory === null) throw notFound(id)
  return memory.kind.toLowerCase() as KindName
}
