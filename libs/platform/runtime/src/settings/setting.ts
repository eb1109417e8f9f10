import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { type HostName, isLoopback, parseHostName } from '../http/trusted-names.ts'
import { parseBytes, parseDuration } from '../units.ts'

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

/** A whole number within limits, both included. */
export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`))

/** The address of a server, with one of these schemes. */
export const url = (...schemes: string[]) =>
  z.string().refine((value) => schemes.some((scheme) => value.startsWith(`${scheme}://`)), {
    message: `must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  })

/** Whether nobody between can read or change what is sent to the address: https, or this very machine. */
export function isPrivateUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[(.*)\]$/u, '$1')))
}

/** The address of a server to which secrets are sent, or which says whom to believe. The text stays as it is. */
export const privateUrl = z.string().refine((text) => isPrivateUrl(text) && !/[\s?#@]/u.test(text), {
  message:
    'must be an address that begins with https:// (on this machine http:// too), without a query or a user',
})

/** The origin of such a server. */
export const privateOrigin = privateUrl.transform((text, context): string => {
  const origin = originOf(text.replace(/\/$/u, ''))
  if (origin !== null) return origin
  context.addIssue({ code: 'custom', message: 'must end with the host or port: https://daybook.example.com' })
  return z.NEVER
})

/** Several servers of one cluster, separated by commas. */
export const urls = (...schemes: string[]) =>
  z
    .string()
    .refine((value) => value.split(',').every((one) => url(...schemes).safeParse(one.trim()).success), {
      message: `must be addresses that begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    })

const measured = (parse: (text: string) => number | null, example: string, most?: string) =>
  z
    .string()
    .transform((text, context): number => {
      const value = parse(text)
      if (value !== null) return value
      context.addIssue({ code: 'custom', message: `must be ${example}` })
      return z.NEVER
    })
    .pipe(
      z
        .number()
        .positive('must be more than 0')
        .max(parse(most ?? '') ?? Number.MAX_SAFE_INTEGER, `must be at most ${most}`),
    )

const DURATION = 'a whole number with a unit: 500ms, 30s, 2m, 12h, 7d'

/** An age or a period, in milliseconds. NATS counts it in nanoseconds of 63 bits. */
export const duration = measured(parseDuration, DURATION, '36500d')

/** What a timer waits for, in milliseconds. Node runs a timer of more than 2^31 - 1 ms, 24.8 days, at once. */
export const waitingTime = measured(parseDuration, DURATION, '24d')

/** A size, in bytes. */
export const bytes = measured(parseBytes, 'a number of bytes, or with a unit: 512MiB, 10GiB')

/** A folder, as an absolute path. */
export const folder = z
  .string()
  .min(1)
  .transform((path) => resolve(path))

/** A switch. */
export const onOrOff = z.enum(['on', 'off']).transform((word) => word === 'on')

const listed = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** Texts of any kind, separated by commas. */
export const list = z.string().transform(listed)

/** One or more of these names, separated by commas. */
export const names = (...known: string[]) =>
  z.string().transform((text, context): string[] => {
    const given = listed(text.toLowerCase())
    if (given.length > 0 && given.every((one) => known.includes(one))) return given
    context.addIssue({ code: 'custom', message: `must be names among ${known.join(', ')}` })
    return z.NEVER
  })

/** Names that a server is asked by, separated by commas, with or without a port. */
export const hostNames = z.string().transform((text, context): HostName[] =>
  listed(text).flatMap((one) => {
    const parsed = parseHostName(one)
    if (parsed !== null) return [parsed]
    context.addIssue({
      code: 'custom',
      message: 'must be host names, with a port or without: daybook.example.com, gateway:4000',
    })
    return []
  }),
)

/** Origins of pages, separated by commas, as browsers send them. */
export const origins = z.string().transform((text, context): string[] =>
  listed(text).flatMap((one) => {
    const origin = originOf(one)
    if (origin !== null) return [origin]
    context.addIssue({
      code: 'custom',
      message: 'must be origins, which end with the host or port: https://app.example.com',
    })
    return []
  }),
)

/** A page's origin in the form that browsers send: small letters, no default port. Extensions have schemes of their own. */
function originOf(text: string): string | null {
  if (!/^[a-z][a-z\d+.-]*:\/\/[^\s/?#@\\*]+$/iu.test(text) || !URL.canParse(text)) return null
  const { origin } = new URL(text)
  return origin === 'null' ? text.toLowerCase() : origin
}

/** A setting as the documentation shows it. */
export interface SettingDocumentation extends Omit<Setting, 'schema'> {
  /** As written in the environment; null if there is no default. */
  readonly default: string | null
}

/** The settings as the documentation shows them, in their order. */
export function describeSettings(settings: Settings): SettingDocumentation[] {
  return listSettings(settings).map(({ name, type, description, schema, secret }) => {
    const standard = schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) : null
    const instead = secret === true ? `, or its file in \`${fileVariable(name)}\`` : ''
    return { name, type: `${type}${instead}`, description, default: standard }
  })
}
