import { enumValue, type InputOf } from '@daybook/api/graphql'
import { contentOfKind } from '@daybook/client/documents/memory-content'
import { type KindName, kindNamed } from '@daybook/memory/kinds/index'
import { type Field, ON_EXISTING } from '@daybook/memory/kinds/kind'
import { nameInMemory } from '@daybook/memory/kinds/name-in-memory'
import { LIMITS } from '@daybook/memory/limits'
import { sizeInWords } from '@daybook/memory/text-rules'
import { type Command, Option } from 'commander'
import { ID_OR_NUMBER_HELP, memoryId } from '../client/memory-id.ts'
import { KEY_HELP } from '../client/mutate.ts'
import { invocation } from '../command.ts'
import { UsageError } from '../command-line.ts'
import { note } from '../output/print.ts'
import { CLEARED, commonFields } from './common-options.ts'

/** The options that all kinds share (`common-options.ts`), and those of the request, as commander gives them. */
export interface CommonOptions {
  readonly [option: string]: unknown
  readonly onExisting?: string
  readonly idempotencyKey?: string
}

type RememberInput = InputOf<'RememberInput'>

/** The given values of a kind's fields, by their names in the API. */
export type FieldValues = Readonly<Record<string, string | readonly string[]>>

/**
 * Builds the request from the command line. It checks only that required fields were given; the daemon checks
 * limits.
 * @throws UsageError naming the option
 */
export function toRememberInput(
  kind: string,
  options: readonly KindOption[],
  values: FieldValues,
  common: CommonOptions,
): RememberInput {
  const missing = options.find(({ field, required }) => required && values[field] === undefined)
  if (missing !== undefined)
    throw new UsageError(
      missing.main
        ? `What to remember is missing. ${missing.description}`
        : `--${missing.flag} is missing. ${missing.description}`,
      [`daybook remember ${kind} --help`],
    )
  const fields = options.flatMap(({ field, shape }) => {
    const value = values[field]
    if (value === undefined) return []
    // A choice is an enum in the API: `closed` becomes CLOSED.
    return [[field, Array.isArray(shape) ? String(value).toUpperCase() : value] as const]
  })
  return {
    content: contentOfKind(kind, Object.fromEntries(fields)),
    ...commonFields(common),
    ...(common.onExisting !== undefined && { onExisting: toOnExisting(common.onExisting) }),
    ...(common.idempotencyKey !== undefined && { idempotencyKey: common.idempotencyKey }),
  }
}

/** The options of `daybook revise` that change something, as commander gives them. */
export interface RevisionOptions extends CommonOptions {
  /** `field=value`. */
  readonly set?: readonly string[]
  readonly clear?: readonly string[]
}

/**
 * Builds the revision from the command line. The daemon checks limits.
 * @param text the new value of the kind's main field; null if it stays
 * @throws UsageError for a field that the kind does not have
 */
export function reviseInput(
  kind: string,
  options: readonly KindOption[],
  text: string | null,
  given: RevisionOptions,
): Readonly<Record<string, unknown>> {
  const own: Record<string, unknown> = {}
  const common: Record<string, unknown> = { ...commonFields(given) }
  const optionOf = (name: string) => options.find(({ flag, field }) => flag === name || field === name)
  const unknown = (name: string) =>
    new UsageError(`A ${kind} has no field "${name}"`, [
      `Fields: ${options.map(({ flag }) => flag).join(', ')}`,
    ])

  for (const pair of given.set ?? []) {
    const [name = '', ...rest] = pair.split('=')
    if (rest.length === 0) throw new UsageError(`--set ${pair} has no value: write it as ${pair}=<value>`)
    const option = optionOf(name)
    if (option === undefined) throw unknown(name)
    const value = rest.join('=')
    const { field, shape } = option
    if (shape === 'strings') own[field] = [...((own[field] as string[] | undefined) ?? []), value]
    // A choice is an enum in the API: `closed` becomes CLOSED.
    else own[field] = Array.isArray(shape) ? value.toUpperCase() : value
  }
  for (const name of given.clear ?? []) {
    const option = optionOf(name)
    if (option !== undefined) own[option.field] = option.shape === 'strings' ? [] : null
    else {
      const field = CLEARED.get(name)
      if (field === undefined) throw unknown(name)
      common[field] = null
    }
  }
  const main = options.find((option) => option.main)
  if (text !== null) {
    if (main === undefined) throw new UsageError(`A ${kind} has no text; name the field with --set`)
    own[main.field] = text
  }
  return { ...common, ...(Object.keys(own).length === 0 ? {} : { content: { [kind]: own } }) }
}

/** One field of a kind as an option of the command line. */
export interface KindOption {
  /** Its name in the API: `rootCause`. */
  readonly field: string
  /**
   * The option's name, without leading dashes: `root-cause`. List items are given one by one: `files` by
   * `--file`.
   */
  readonly flag: string
  readonly description: string
  readonly required: boolean
  readonly shape: Field['shape']
  /** Whether the text after the kind fills this field. */
  readonly main: boolean
}

const kebab = (name: string) => name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)

/** Whether the field takes a text rather than a name, by its own schema. */
export function takesText({ shape, schema }: Field): boolean {
  return shape === 'string' && schema.safeParse('x'.repeat(LIMITS.nameCharacters + 1)).success
}

/** The field that the text fills: the first required text field, else the first text field. */
function mainField(fields: readonly (readonly [string, Field])[]): string | undefined {
  const texts = fields.filter(([, field]) => takesText(field))
  return (texts.find(([, { required }]) => required) ?? texts[0])?.[0]
}

function flagOf(name: string, shape: Field['shape']): string {
  return shape === 'strings' ? kebab(name).replace(/s$/u, '') : kebab(name)
}

/** The options of a kind, made from its fields. A new kind needs no change here. */
export function kindOptions(kind: KindName): readonly KindOption[] {
  const definition = kindNamed(kind)
  const fields = Object.entries(definition.fields)
  const main = mainField(fields)
  return fields.map(([field, { shape, required, description }]) => ({
    field,
    // An option of all memories may have the same name, so a learning's own context is --context-text.
    flag: flagOf(nameInMemory(definition, field), shape),
    description,
    required,
    shape,
    main: field === main,
  }))
}

/** What a change of one memory does, once its whole id and the key of the request are read. */
type Change = (id: string, key: string | undefined, command: Command) => Promise<void>

/** Adds the id of the memory that a command changes, the key under which it may be sent again, and the action. */
export function addChange(command: Command, change: Change): void {
  command
    .argument('<id>', ID_OR_NUMBER_HELP)
    .option('--idempotency-key <key>', KEY_HELP)
    .action(async (id: string, { idempotencyKey }: { idempotencyKey?: string }, self: Command) =>
      change(await memoryId(invocation(self).connection, id), idempotencyKey, self),
    )
}

/** The option that says what to do if the same thing is remembered already. */
export const onExistingOption = (): Option =>
  new Option(
    '--on-existing <what>',
    'If the same kind, key and context is remembered already (default: revise; for decisions keep-both).',
  ).choices(ON_EXISTING.map((word) => word.toLowerCase().replaceAll('_', '-')))

/** What was given for it, in the API's spelling. */
export const toOnExisting = (given: string | undefined): InputOf<'OnExisting'> | undefined =>
  given === undefined ? undefined : (enumValue(given) as InputOf<'OnExisting'>)

/** What remembering came to, as the API says it. */
const WORDS = {
  REMEMBERED: 'Remembered',
  REVISED: 'Revised',
  RESTORED: 'Restored',
  UNCHANGED: 'Unchanged',
} as const

/** What remembering came to, in a word for people. */
export const describeOutcome = (outcome: keyof typeof WORDS): string => WORDS[outcome]

/** More bytes than any text may have. Longer input is refused before it fills the process's memory. */
const MOST_BYTES = 1024 * 1024

/** After this long without input, say that we wait for it: otherwise a forgotten text looks like a hang. */
const HINT_AFTER_MS = 2_000

/** Reads standard input as one text, without the line feed at its end. @throws UsageError */
export async function readText(input: AsyncIterable<Uint8Array>): Promise<string> {
  const hint = setTimeout(
    () => note('Waiting for the text on standard input (Ctrl-C leaves) …'),
    HINT_AFTER_MS,
  )
  try {
    const parts: Uint8Array[] = []
    let size = 0
    for await (const part of input) {
      clearTimeout(hint)
      size += part.byteLength
      if (size > MOST_BYTES)
        throw new UsageError(
          `The text on standard input is too long: the limit is ${sizeInWords(LIMITS.textBytes)}, and it has more than ${sizeInWords(MOST_BYTES)}`,
        )
      parts.push(part)
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)).replace(/\r?\n$/u, '')
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError('The text on standard input is not UTF-8')
    throw error
  } finally {
    clearTimeout(hint)
  }
}
