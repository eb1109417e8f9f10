import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** A setting: its variable in the environment, its check, and what the documentation says about it. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  /** The variable's name. */
  readonly name: string
  /** Checks the variable's text and turns it into the value. A default is a prefault, as text. */
  readonly schema: Schema
  /** What kind of text it takes, for people. */
  readonly type: string
  readonly description: string
  /** Whether it is or may hold a secret. Then `<name>_FILE` may name a file with the value instead. */
  readonly secret?: true
}

/** The variable with the file of a secret. */
export const fileVariable = (name: string): string => `${name}_FILE`

/** Settings by their names in the code; those that are used together form a group. */
export interface Settings {
  readonly [key: string]: Setting | Settings
}

/** The values of settings, in the same groups. */
export type Values<Of> = {
  readonly [Key in keyof Of]: Of[Key] extends Setting<infer Schema> ? z.output<Schema> : Values<Of[Key]>
}

const isSetting = (entry: Setting | Settings): entry is Setting => entry['schema'] instanceof z.ZodType

/** All settings of all groups, in the order of their declaration. */
export function listSettings(settings: Settings): Setting[] {
  return Object.values(settings).flatMap((entry) => (isSetting(entry) ? [entry] : listSettings(entry)))
}

/**
 * Reads the values of settings.
 * @param onProblem called for each value that fails its check; the result must not be used then
 */
export function readSettings<const Of extends Settings>(
  settings: Of,
  environment: Readonly<Record<string, string | undefined>>,
  onProblem: (setting: string, problem: string) => void,
): Values<Of> {
  const valueOf = ({ name, schema, secret }: Setting): unknown => {
    const text =
      secret === true ? secretOf(name, environment, (problem) => onProblem(name, problem)) : environment[name]
    const { data, error } = schema.safeParse(text)
    for (const { message } of error?.issues ?? []) onProblem(name, message)
    return data
  }
  const values = Object.entries(settings).map(([key, entry]) => [
    key,
    isSetting(entry) ? valueOf(entry) : readSettings(entry, environment, onProblem),
  ])
  return Object.fromEntries(values) as Values<Of>
}

/** The value, or that of the file that the other variable names; white space around it is left out. */
function secretOf(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  onProblem: (problem: string) => void,
): string | undefined {
  const [value, file] = [environment[name], environment[fileVariable(name)]]
  if (file === undefined) return value
  if (value !== undefined) {
    onProblem(`must not be set where ${fileVariable(name)} is`)
    return value
  }
  try {
    const text = readFileSync(file, 'utf8').trim()
    if (text === '') onProblem(`the file ${file} of ${fileVariable(name)} is empty`)
    return text
  } catch (error) {
    onProblem(
      `the file ${file} of ${fileVariable(name)} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    )
    return undefined
  }
}
