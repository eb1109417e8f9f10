import { parseArgs } from 'node:util'

/** An option of a script: its description, and its default, whose type is the option's type. */
export interface ScriptOption<Value extends string | number | boolean = string | number | boolean> {
  readonly description: string
  readonly default: Value
  /** The allowed values. Default: all. */
  readonly oneOf?: readonly Value[]
}

type Values<Options> = {
  [Name in keyof Options]: Options[Name] extends ScriptOption<infer Value>
    ? Value extends number
      ? number
      : Value extends boolean
        ? boolean
        : string
    : never
}

/**
 * Reads a script's options from its command line. `--help` prints them all and ends the process. An unknown
 * option or a wrong value is reported and ends the process with 2.
 *
 * @param usage how to run the script and what it does, for people
 */
export function scriptOptions<const Options extends Readonly<Record<string, ScriptOption>>>(
  command: string,
  usage: string,
  options: Options,
): Values<Options> {
  const entries = Object.entries(options)
  const given = parse(entries)
  if ('problem' in given) return refuse(`${given.problem}\n\n${help(command, usage, entries)}`)
  if (given.values.help === true) {
    process.stdout.write(help(command, usage, entries))
    process.exit(0)
  }
  const values = entries.map(([name, option]) => {
    const value = (given.values as Record<string, string | boolean | undefined>)[name] ?? option.default
    const typed = typeof option.default === 'number' ? Number(value) : value
    if (typeof typed === 'number' && (!Number.isInteger(typed) || typed < 0))
      return refuse(`--${name} must be a whole number from 0 on, not "${value}"\n`)
    if (option.oneOf !== undefined && !option.oneOf.includes(typed))
      return refuse(`--${name} must be one of ${option.oneOf.join(', ')}, not "${value}"\n`)
    return [name, typed]
  })
  return Object.fromEntries(values) as Values<Options>
}

function parse(entries: readonly (readonly [string, ScriptOption])[]) {
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h' },
        ...Object.fromEntries(
          entries.map(([name, option]) => [
            name,
            { type: typeof option.default === 'boolean' ? ('boolean' as const) : ('string' as const) },
          ]),
        ),
      },
      allowNegative: true,
    })
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

function help(command: string, usage: string, entries: readonly (readonly [string, ScriptOption])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length))
  const lines = entries.map(([name, option]) => {
    const allowed = option.oneOf === undefined ? '' : `; one of ${option.oneOf.join(', ')}`
    const standard = option.default === '' ? '' : ` (default ${option.default}${allowed})`
    return `  --${name.padEnd(width)}  ${option.description}${standard}`
  })
  return `${command}\n\n${usage}\n\n${lines.join('\n')}\n`
}

function refuse(problem: string): never {
  process.stderr.write(problem)
  process.exit(2)
}
