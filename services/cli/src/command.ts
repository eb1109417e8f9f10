import { type Command, InvalidArgumentError, Option } from 'commander'
import { MOMENT_HINT, parseMoment } from './moment.ts'
import { type Connection, connectionFrom, type GlobalOptions } from './settings.ts'

/** One of `daybook`'s commands. Its file is loaded only when it is called, as every import costs start time. */
export interface CommandEntry {
  readonly name: string
  /** As it stands after the name in the help: `<id>`. */
  readonly parameters?: string
  readonly description: string
  /** Adds the arguments, options and the action to commander's command. */
  readonly load: () => Promise<{ readonly configure: (command: Command) => void }>
}

/** Adds the options that every command has, under a heading of their own. */
export function addGlobalOptions(command: Command): Command {
  const options = [
    new Option('--url <url>', 'where the daemon is (DAYBOOK_URL; default http://127.0.0.1:4000)'),
    new Option(
      '--data-dir <folder>',
      'its data folder, which holds api-key (DAYBOOK_DATA_DIR; default .daybook)',
    ),
    new Option('--json', 'print JSON, and nothing else, on standard output'),
  ]
  for (const option of options) command.addOption(option.helpGroup('Global options:'))
  return command
}

/** The global options, given before or after the command's name; after it counts more. */
export function globalOptions(command: Command): GlobalOptions {
  const chain: Command[] = []
  for (let one: Command | null = command; one !== null; one = one.parent) chain.unshift(one)
  return Object.assign({}, ...chain.map((one) => one.opts())) as GlobalOptions
}

export interface Invocation {
  readonly connection: Connection
  readonly json: boolean
}

/** What an action needs: the daemon with its key, and the form of the output. @throws UsageError, UnauthorisedError */
export function invocation(command: Command): Invocation {
  const options = globalOptions(command)
  return { connection: connectionFrom(options, process.env), json: options.json === true }
}

/** Adds `Examples:` to the help. */
export function addExamples(command: Command, lines: readonly string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`)
}

/** For options that may be given several times. */
export const collect = (value: string, all: readonly string[] = []): readonly string[] => [...all, value]

/** A whole number from `min`. */
export const wholeNumber =
  (min = 0) =>
  (value: string): number => {
    const number = Number(value)
    if (!/^\d+$/u.test(value) || !Number.isSafeInteger(number) || number < min)
      throw new InvalidArgumentError(`It must be a whole number, ${min} or more.`)
    return number
  }

/** For options that take a moment: `parseMoment`. */
export function moment(value: string): string {
  const parsed = parseMoment(value)
  if (parsed === null) throw new InvalidArgumentError(MOMENT_HINT)
  return parsed
}
