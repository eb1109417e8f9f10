import { parseMoment, parseSince } from '@daybook/runtime/units'
import { type Command, Help, InvalidArgumentError, Option } from 'commander'
import { MOMENT_HINT, SINCE_HINT } from './command-line.ts'
import { joinLines, outputColumns, wrap, wrapBehind } from './output/table.ts'
import { type Connection, connectionFrom, type GlobalOptions } from './settings.ts'

/**
 * One of `daybook`'s commands. Its file is loaded only when the command is called: every import costs start
 * time.
 */
export interface CommandEntry {
  readonly name: string
  /** What the help shows after the name: `<id>`. */
  readonly parameters?: string
  readonly description: string
  /** Adds the arguments, options and the action to commander's command. */
  readonly load: () => Promise<(command: Command) => void>
}

/** Adds the options that every command has, under their own heading. */
export function addGlobalOptions(command: Command): Command {
  const options = [
    new Option(
      '--url <url>',
      'where the daemon is (DAYBOOK_URL; default: the address that its data folder names)',
    ),
    new Option(
      '--data-dir <folder>',
      'its data folder, which holds api-key (DAYBOOK_DATA_DIR; default: see daybook help)',
    ),
    new Option(
      '--project <name or id>',
      'the project that is meant, if the key may use several (DAYBOOK_PROJECT)',
    ),
    new Option('--json', 'print JSON, and nothing else, on standard output'),
  ]
  for (const option of options) {
    // Some commands have a `--project` of their own: the one they are about, whichever the key is for.
    if (command.options.some(({ long }) => long === option.long)) continue
    command.addOption(option.helpGroup('Global options:'))
    GLOBAL.add(option)
  }
  return command
}

const GLOBAL = new WeakSet<Option>()

/** The global options. They may stand before or after the command's name; the one after it wins. */
export function globalOptions(command: Command): GlobalOptions {
  const chain: Command[] = []
  for (let one: Command | null = command; one !== null; one = one.parent) chain.unshift(one)
  return Object.assign({}, ...chain.map(ownGlobals)) as GlobalOptions
}

function ownGlobals(command: Command): Record<string, unknown> {
  const given = command.opts()
  const names = command.options.filter((option) => GLOBAL.has(option)).map((option) => option.attributeName())
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])))
}

/** What a command's action needs. */
export interface Invocation {
  readonly connection: Connection
  readonly json: boolean
}

/**
 * Reads what an action needs: the daemon, its key, and whether to print JSON.
 * @throws UsageError, UnauthorisedError
 */
export function invocation(command: Command): Invocation {
  const options = globalOptions(command)
  return { connection: connectionFrom(options, process.env), json: options.json === true }
}

/** Adds `Examples:` to the help. */
export function addExamples(command: Command, lines: readonly string[]): Command {
  const wrapped = (columns: number) => lines.map((line) => wrapBehind('  ', line, columns)).join('\n')
  return command.addHelpText('after', () => `\nExamples:\n${wrapped(outputColumns())}`)
}

/** Columns of help text: the widest that reads well, and commander's own width where there is no terminal. */
const [WIDEST_TEXT, USUAL_TEXT] = [110, 80]

/** Adds paragraphs to the help, wrapped to the terminal. Indented lines keep their line breaks. */
export function addNotes(command: Command, text: string): Command {
  return command.addHelpText('after', () => {
    const columns = outputColumns()
    return `\n${wrap(joinLines(text.trim()), columns === Number.POSITIVE_INFINITY ? USUAL_TEXT : Math.min(columns, WIDEST_TEXT))}`
  })
}

/** The fewest columns for a description beside its term. */
const DESCRIPTION = 36

/** Formats one help entry for commander: in a narrow terminal the description stands below its term. */
export function formatHelpItem(
  this: Help,
  term: string,
  termWidth: number,
  description: string,
  helper: Help,
): string {
  const columns = this.helpWidth ?? USUAL_TEXT
  if (description === '' || columns - termWidth - 4 >= DESCRIPTION)
    return Help.prototype.formatItem.call(this, term, termWidth, description, helper)
  return `${wrapBehind('  ', term, columns)}\n${wrapBehind('      ', description, columns)}`
}

/** An option parser that collects the values of an option that may be given several times. */
export const collect = (value: string, all: readonly string[] = []): readonly string[] => [...all, value]

/** An option parser for names separated by commas, in an option that may be given several times. */
export const commaSeparated = (value: string, all: readonly string[] = []): readonly string[] => [
  ...all,
  ...value.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])),
]

/** An option parser for whole numbers of `min` or more, or of a limit from `min` to `max`. */
export const wholeNumber =
  (min = 0, max = Number.MAX_SAFE_INTEGER) =>
  (value: string): number => {
    // We print thousands as 12,345, so people may give them like that.
    const digits = /^\d{1,3}(?:,\d{3})+$/u.test(value) ? value.replaceAll(',', '') : value
    const number = Number(digits)
    if (!/^\d+$/u.test(digits) || number < min || number > max)
      throw new InvalidArgumentError(
        max === Number.MAX_SAFE_INTEGER
          ? `It must be a whole number, ${min} or more.`
          : `The limit must be a whole number from ${min} to ${max}.`,
      )
    return number
  }

/** An option parser for numbers from 0 to 1. */
export function share(value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !(number >= 0 && number <= 1))
    throw new InvalidArgumentError('It must be a number from 0 to 1.')
  return number
}

/** An option parser for dates and times; see `parseMoment`. */
export function moment(value: string): string {
  const parsed = parseMoment(value)
  if (parsed === null) throw new InvalidArgumentError(MOMENT_HINT)
  return parsed
}

/** An option parser for how long ago, or a date or time; see `parseSince`. */
export function sinceMoment(value: string): string {
  const parsed = parseSince(value, Date.now())
  if (parsed === null) throw new InvalidArgumentError(SINCE_HINT)
  return parsed
}
