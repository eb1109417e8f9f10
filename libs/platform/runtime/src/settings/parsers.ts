import { resolve } from 'node:path'
import { z } from 'zod'
import { type HostName, parseHostName } from '../http/trusted-names.ts'
import { parseBytes, parseDuration } from '../units.ts'

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

/** Several servers of one cluster, separated by commas. */
export const urls = (...schemes: string[]) =>
  z
    .string()
    .refine((value) => value.split(',').every((one) => url(...schemes).safeParse(one.trim()).success), {
      message: `must be addresses that begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    })

const measured = (parse: (text: string) => number | null, example: string) =>
  z.string().transform((text, context) => {
    const value = parse(text)
    if (value !== null && value > 0) return value
    context.addIssue({ code: 'custom', message: `must be ${example}` })
    return z.NEVER
  })

/** A duration with its unit, in milliseconds. */
export const duration = measured(parseDuration, 'a whole number with a unit: 500ms, 30s, 2m, 12h, 7d')
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
