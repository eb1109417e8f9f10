import { z } from 'zod'
import { parseMemoryId } from './id.ts'
import { jsonProblem } from './json-problem.ts'
import { DEFAULT_IMPORTANCE, LIMITS } from './limits.ts'
import type { CommonFields, JsonObject, JsonValue } from './state.ts'
import { bytes, bytesInWords, moment, shortString, sizeInWords } from './text-rules.ts'

const words = (what: string) =>
  z
    .array(shortString(LIMITS.labelCharacters), `must be a list of strings`)
    .max(LIMITS.labels, `has too many ${what}: the limit is ${LIMITS.labels}`)
    .transform((given) => [...new Set(given)])

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
