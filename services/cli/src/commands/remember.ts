import * as mutations from '@daybook/api/mutations'
import { MEMORY } from '@daybook/client/documents/memory'
import { memoryContent, withContent } from '@daybook/client/documents/memory-content'
import { KIND_NAMES, type KindName, kindNamed } from '@daybook/memory/kinds/index'
import { safeLine } from '@daybook/memory/safe-text'
import { detectContext } from '@daybook/runtime/detect-context'
import { type Command, Option } from 'commander'
import { memoryId } from '../client/memory-id.ts'
import { KEY_HELP, mutate } from '../client/mutate.ts'
import { addExamples, addGlobalOptions, addNotes, collect, invocation, moment } from '../command.ts'
import { UsageError } from '../command-line.ts'
import { noteUnshared } from '../output/memory.ts'
import { print, printJson } from '../output/print.ts'
import { addCommonOptions } from '../remember/common-options.ts'
import {
  type CommonOptions,
  describeOutcome,
  type FieldValues,
  type KindOption,
  kindOptions,
  onExistingOption,
  readText,
  toRememberInput,
} from '../remember/remember-input.ts'

const EXAMPLES: Partial<Record<KindName, string>> = {
  insight:
    'daybook remember insight --key jwt-validation "Validate a JWT’s expiry before trusting its claims"',
  stash:
    'daybook remember stash --name login-bug "Half way through: tokens expire too early" --file src/auth.ts',
  decision: 'daybook remember decision --topic database "We take Postgres" --reasoning "One store for all"',
  note: 'git log -1 --format=%B | daybook remember note --label git',
}

/** Adds the arguments, options and action of `daybook remember`. */
export function configureRemember(command: Command): void {
  for (const kind of KIND_NAMES) {
    const ofKind = command.command(kind).description(kindNamed(kind).description)
    takeMemory(ofKind, kind)
    addGlobalOptions(ofKind)
    const example = EXAMPLES[kind]
    if (example !== undefined) addExamples(ofKind, [example])
  }
  takeMemory(command, 'note')
  addExamples(command, [
    'daybook remember "We use pnpm"',
    ...Object.values(EXAMPLES),
    'daybook remember note --help',
  ])
  addNotes(
    command,
    '\nWithout a kind it is a note. The text may come from standard input: "-" in its place, or a pipe where it is left out.',
  )
}

/** Adds the text, the options and the action of one kind. */
function takeMemory(command: Command, kind: KindName): void {
  const options = kindOptions(kind)
  const main = options.find((option) => option.main)
  const text = main === undefined ? '' : `${main.description} As --${main.flag}; "-" reads standard input`
  if (main !== undefined) command.argument('[text...]', text)
  command.optionsGroup(`Options of ${kind}:`)
  for (const option of options) command.addOption(commanderOption(option))
  command.optionsGroup('Options of all kinds:')
  addCommonOptions(command, 'remember')
  command.addOption(onExistingOption()).option('--idempotency-key <key>', KEY_HELP)
  command.action((...given) => {
    const self = given.at(-1) as Command
    takeOptionsBefore(self)
    return remember(kind, options, main === undefined ? [] : (given[0] as string[]), self)
  })
}

/** Options may stand before the kind too: `remember --label git note …`. */
function takeOptionsBefore(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName()
    if (command.getOptionValueSource(name) === 'cli' || command.parent?.getOptionValueSource(name) !== 'cli')
      continue
    command.setOptionValueWithSource(name, command.parent.getOptionValue(name), 'cli')
  }
}

function commanderOption({ flag, shape, description, required, main }: KindOption): Option {
  const value =
    shape === 'moment' ? '<time>' : shape === 'string' || shape === 'strings' ? '<text>' : '<word>'
  const needs = required ? (main ? ' (needed, here or as the text)' : ' (needed)') : ''
  const repeats = shape === 'strings' ? ' May be repeated.' : ''
  const option = new Option(`--${flag} ${value}`, `${description}${repeats}${needs}`)
  if (shape === 'strings') return option.argParser(collect)
  if (shape === 'moment') return option.argParser(moment)
  return shape === 'string' ? option : option.choices(shape)
}

const REMEMBER = mutations.remember('sequence duplicate outcome sameText memory { id title context shared }')

const REMEMBER_AND_SHOW = mutations.remember(
  'sequence duplicate outcome sameText memory { ...Memory ...MemoryContent }',
  [MEMORY, memoryContent()],
)

async function remember(
  kind: KindName,
  options: readonly KindOption[],
  words: readonly string[],
  command: Command,
): Promise<void> {
  const { connection, json } = invocation(command)
  const values = await fieldValues(options, words, command)
  const { context: named, ...common } = command.opts<
    CommonOptions & { readonly context?: string | boolean }
  >()
  const context = await contextFor(named)
  const { supersedes } = common as { readonly supersedes?: string }
  const input = toRememberInput(kind, options, values, {
    ...common,
    ...(context === null ? {} : { context }),
    ...(supersedes !== undefined && { supersedes: await memoryId(connection, supersedes) }),
  })
  const { idempotencyKey: key } = common
  const variables = (idempotencyKey: string) => ({ input: { ...input, idempotencyKey } })
  if (json) {
    const shown = await mutate(connection, REMEMBER_AND_SHOW, variables, key)
    const { memory, sequence, duplicate, outcome, sameText } = shown
    noteUnshared(memory)
    return printJson({ memory: withContent(memory), sequence, duplicate, outcome, sameText })
  }
  const { memory, sequence, duplicate, outcome, sameText } = await mutate(
    connection,
    REMEMBER,
    variables,
    key,
  )
  noteUnshared(memory)
  // Without a kind, a mistyped one is text: the answer says what it was taken for.
  const taken = command.name() === kind ? '' : ` as a ${kind}`
  print(`${duplicate ? 'Already there' : describeOutcome(outcome)}${taken}: ${safeLine(memory.title)}`)
  const where = memory.context === null ? '' : ` in ${safeLine(memory.context)}`
  print(`${safeLine(memory.id)}${where}  (sequence ${sequence})`)
  const [first] = sameText
  if (first !== undefined)
    print(
      `The same text is there already: ${sameText.map(safeLine).join(', ')}. One is enough? daybook forget ${safeLine(memory.id)}`,
    )
}

/** The context of a memory. @param named what `--context` says; false with `--no-context`, true with neither */
function contextFor(named: string | boolean | undefined): Promise<string | null> {
  if (named === false) return Promise.resolve(null)
  const explicit = typeof named === 'string' ? named : undefined
  return detectContext({ explicit, folder: process.cwd(), environment: process.env })
}

/** What was given for each field, the text or standard input for the main one. @throws UsageError */
async function fieldValues(
  options: readonly KindOption[],
  words: readonly string[],
  command: Command,
): Promise<FieldValues> {
  const values: Record<string, string | readonly string[]> = {}
  for (const { field, flag } of options) {
    const given = command.getOptionValue(
      command.options.find(({ long }) => long === `--${flag}`)?.attributeName() ?? '',
    )
    if (given !== undefined) values[field] = given as string | readonly string[]
  }
  const main = options.find((option) => option.main)
  if (main === undefined) return values
  if (words.length > 0 && values[main.field] !== undefined)
    throw new UsageError(`The text is given twice: as --${main.flag} and after the options`)
  const piped =
    words.length === 0 && main.required && values[main.field] === undefined && !process.stdin.isTTY
  if (piped || (words.length === 1 && words[0] === '-')) values[main.field] = await readText(process.stdin)
  else if (words.length > 0) values[main.field] = words.join(' ')
  if (piped && values[main.field] === '') delete values[main.field]
  return values
}
