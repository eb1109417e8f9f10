import { canonicalJson } from '@daybook/memory/canonical-json'
import { DaybookError } from '@daybook/memory/errors'
import { LIMITS } from '@daybook/memory/limits'
import { shortString, storableString } from '@daybook/memory/text-rules'
import { z } from 'zod'
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportEnd,
  type ExportedEvent,
  type ExportedProject,
  type ExportHeader,
  isExportHeader,
} from '../export/export-format.ts'

/** A well-formed line. `readExport` checks whether it is in its place. */
export type ExportLine =
  | { readonly header: ExportHeader }
  | { readonly project: ExportedProject }
  | { readonly event: ExportedEvent }
  | { readonly end: ExportEnd }

/** As the database prints it: another spelling would give another hash. */
const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u, 'must be a UUID in lower case')

/** With its version before it (`append-request.ts`). */
const requestHash = z.string().regex(/^[0-9a-f]{66}$/u, 'must be 33 bytes in lower-case hex')

const sha256 = z.string().regex(/^[0-9a-f]{64}$/u, 'must be 32 bytes in lower-case hex')

const salt = z.string().regex(/^[0-9a-f]{32}$/u, 'must be 16 bytes in lower-case hex')

const count = z.int().min(0)

const positiveInt4 = z.int32().min(1)

const nullableText = storableString.nullable()

const moment = z.string().refine((text) => {
  if (!/^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u.test(text)) return false
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString() === text
}, 'must be a time in UTC with milliseconds')

const project = z.strictObject({
  id: uuid,
  name: shortString(LIMITS.nameCharacters),
  events: count,
  hash: sha256,
})

const event = z
  .strictObject({
    sequence: positiveInt4,
    eventId: uuid,
    memoryId: uuid,
    version: positiveInt4,
    type: shortString(LIMITS.nameCharacters),
    schemaVersion: positiveInt4,
    recordedAt: moment,
    actor: nullableText,
    correlationId: nullableText,
    causationId: nullableText,
    data: z.unknown(),
    dataSalt: salt.nullable(),
    dataHash: sha256,
    hash: sha256,
    epoch: z.int32().min(2).exactOptional(),
    idempotencyKeys: z.array(z.strictObject({ key: storableString, requestHash: requestHash.nullable() })),
  })
  // Erased data has no salt either.
  .refine(
    ({ data = null, dataSalt }) => (data === null) === (dataSalt === null),
    'must have a salt if it has data, and else none',
  )

const end = z.strictObject({ events: count, projects: count, sha256 })

const LINES: Readonly<Record<string, z.ZodType<ExportLine>>> = {
  project: project.transform((one) => ({ project: one })),
  event: event.transform((one) => ({ event: one })),
  end: end.transform((one) => ({ end: one })),
}

/** JSON escapes control characters. A backslash that is itself escaped does not begin an escape. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/u

const HOLDS_NUL = 'holds the NUL character (U+0000), which cannot be stored'

/** Perhaps half of a character: only an escape can stand for one. */
const HALF = /\\ud[89a-f]/iu

const holdsHalf = (value: unknown): boolean =>
  typeof value === 'string'
    ? !value.isWellFormed()
    : typeof value === 'object' &&
      value !== null &&
      (Object.keys(value).some(holdsHalf) || Object.values(value).some(holdsHalf))

/** Parses one line and checks its form. @throws InvalidExportError */
export function parseLine(line: number, text: string): ExportLine {
  const value = parseJson(line, text)
  if (isExportHeader(value)) return { header: checkHeader(line, value) }
  if (NUL.test(text)) throw new InvalidExportError(line, HOLDS_NUL)
  const [[kind, content] = ['', null], ...others] = Object.entries(value ?? {})
  const schema = others.length === 0 ? LINES[kind] : undefined
  if (schema === undefined) throw new InvalidExportError(line, 'is not a line of an exported journal')
  const checked = schema.safeParse(content)
  if (checked.success) return checked.data
  const { path, message } = checked.error.issues[0] ?? { path: [], message: '' }
  throw new InvalidExportError(line, `is not a valid ${kind} of an export: ${[...path, message].join(' ')}`)
}

/**
 * The event of a line from a running Daybook. Its spelling is not looked at, unlike in a file, which other programs may have
 * changed: the event's hashes say whether it is the same.
 * @throws InvalidExportError
 */
export function parseEventLine(line: number, text: string): ExportedEvent {
  let value: unknown
  try {
    value = (JSON.parse(text) as { event?: unknown }).event
  } catch (error) {
    throw new InvalidExportError(line, `is not JSON: ${(error as Error).message}`)
  }
  if (isDeeperThan(MOST_LEVELS, value)) throw new InvalidExportError(line, 'is nested too deeply')
  if (NUL.test(text)) throw new InvalidExportError(line, HOLDS_NUL)
  if (HALF.test(text) && holdsHalf(value))
    throw new InvalidExportError(
      line,
      'holds half a character (an unpaired surrogate), which cannot be stored',
    )
  const checked = event.safeParse(value)
  if (checked.success) return checked.data
  const { path, message } = checked.error.issues[0] ?? { path: [], message: '' }
  throw new InvalidExportError(line, `is not a valid event: ${[...path, message].join(' ')}`)
}

function parseJson(line: number, text: string): unknown {
  let value: unknown
  let canonical: string
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new InvalidExportError(line, `is not JSON: ${(error as Error).message}`)
  }
  if (isDeeperThan(MOST_LEVELS, value)) throw new InvalidExportError(line, 'is nested too deeply')
  try {
    canonical = canonicalJson(value)
  } catch (error) {
    throw new InvalidExportError(line, `holds a value that cannot be stored: ${(error as Error).message}`)
  }
  if (canonical !== text)
    throw new InvalidExportError(
      line,
      'is not in canonical form (RFC 8785): another program wrote or changed it',
    )
  return value
}

function checkHeader(line: number, { version }: { readonly version: unknown }): ExportHeader {
  if (version !== EXPORT_VERSION)
    throw new InvalidExportError(
      line,
      `the journal was exported in version ${JSON.stringify(version)} of the format by another Daybook; this one reads version ${EXPORT_VERSION}`,
    )
  return { format: EXPORT_FORMAT, version }
}

/** Far above the limit for metadata, and below what a database or a stack can take. */
const MOST_LEVELS = 100

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner))
}

/** An exported journal that cannot be imported: damaged, changed, cut off, or not an export at all. */
export class InvalidExportError extends DaybookError {
  /** The line's number, from 1. */
  readonly line: number

  constructor(line: number, problem: string, options?: ErrorOptions) {
    super('INVALID_EXPORT', `line ${line}: ${problem}`, options)
    this.line = line
  }
}

/** The journal here and the exported one differ in an event that both have. */
export class ImportConflictError extends DaybookError {
  /** The first event that differs. */
  readonly sequence: number

  constructor(sequence: number, problem: string, options?: ErrorOptions) {
    super('IMPORT_CONFLICT', problem, options)
    this.sequence = sequence
  }
}
