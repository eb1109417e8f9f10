import { z } from 'zod'
import { parseMemoryId } from './id.ts'
import { DEFAULT_IMPORTANCE, LIMITS } from './limits.ts'
import type { CommonFields, JsonObject, JsonValue } from './state.ts'
import { bytes, bytesInWords, moment, shortString, sizeInWords } from './text-rules.ts'

const words = (what: string) =>
  z
    .array(shortString(LIMITS.labelCharacters), `must be a list of strings`)
    .max(LIMITS.labels, `has too many ${what}: the limit is ${LIMITS.labels}`)
    .transform((given) => [...new Set(given)])

/** What of a JSON value cannot be kept. */
interface JsonProblem {
  /** Where it is, with the names of the fields around it, such as `metadata.order`. */
  readonly path: string
  readonly problem: string
}

/** @returns the first value in it that cannot be kept, by what is asked of metadata; null if there is none */
export function jsonProblem(value: unknown, path: string, depth = 0): JsonProblem | null {
  const is = (problem: string): JsonProblem => ({ path, problem })
  if (depth > LIMITS.metadataDepth) return is(`is nested too deeply: the limit is ${LIMITS.metadataDepth}`)
  if (value === null || typeof value === 'boolean') return null
  if (typeof value === 'number') return Number.isFinite(value) ? null : is('must hold finite numbers only')
  if (typeof value === 'string') {
    if (value.includes('\u0000')) return is('must not contain the NUL character (U+0000)')
    return value.isWellFormed() ? null : is('must be well-formed Unicode, without unpaired surrogates')
  }
  if (typeof value !== 'object') return is('must be JSON')
  for (const [name, inner] of Object.entries(value)) {
    const problem =
      jsonProblem(name, path, depth + 1) ??
      jsonProblem(inner, Array.isArray(value) ? path : `${path}.${name}`, depth + 1)
    if (problem !== null) return problem
  }
  return null
}

const metadata = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be a JSON object',
  )
  .superRefine((value, context) => {
    const problem = jsonProblem(value, 'metadata')
    if (problem !== null) context.addIssue({ code: 'custom', message: problem.problem })
    const size = problem === null ? bytes(JSON.stringify(value)) : 0
    if (size > LIMITS.metadataBytes)
      context.addIssue({
        code: 'custom',
        message: `is too long: the limit is ${sizeInWords(LIMITS.metadataBytes)} of JSON, and it has ${bytesInWords(size)}`,
      })
  })
  .transform((value) => JSON.parse(JSON.stringify(value)) as { readonly [key: string]: JsonValue })

/** A memory's id in either spelling; kept is the plain one. */
const memoryId = z
  .string('must be the id of a memory')
  .transform((id) => parseMemoryId(id)?.uuid ?? '')
  .refine((uuid) => uuid !== '', 'must be the id of a memory, such as insight:0192f0c1-…')

/** The checks of the fields that all kinds share. The commands, not these checks, tell absent from null. */
export const COMMON_FIELDS = {
  agent: shortString(LIMITS.nameCharacters),
  labels: words('labels'),
  categories: words('categories'),
  importance: z
    .number('must be a whole number')
    .int('must be a whole number')
    .min(0, `must be from 0 to ${LIMITS.importanceMax}`)
    .max(LIMITS.importanceMax, `must be from 0 to ${LIMITS.importanceMax}`)
    // JSON text has no -0: the journal would give 0 back.
    .transform((value) => value + 0),
  context: shortString(LIMITS.nameCharacters),
  metadata,
  occurredAt: moment,
  expiresAt: moment,
  supersedes: memoryId,
} as const satisfies Record<keyof CommonFields, z.ZodType>

/** What a memory has that is told nothing else. */
export const COMMON_DEFAULTS: Required<Omit<CommonFields, 'supersedes'>> = {
  agent: null,
  labels: [],
  categories: [],
  importance: DEFAULT_IMPORTANCE,
  context: null,
  metadata: {},
  occurredAt: null,
  expiresAt: null,
}

/** A field that every kind of memory has. */
export type CommonFieldName = keyof typeof COMMON_FIELDS
/** The names of all common fields. */
export const COMMON_FIELD_NAMES = Object.keys(COMMON_FIELDS) as readonly CommonFieldName[]
