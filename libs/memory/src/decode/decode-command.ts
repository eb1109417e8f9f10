import { z } from 'zod'
import { check } from '../check.ts'
import type { Command } from '../commands.ts'
import { COMMON_FIELD_NAMES } from '../common-fields.ts'
import { LIMITS } from '../limits.ts'
import { TRANSITION_NAMES } from '../transitions.ts'
import { INT4_MAX, plainObject, uuid } from './forms.ts'

const versionFrom = (least: number) =>
  z
    .int('must be a whole number')
    .min(least, `must be ${least} or more`)
    .max(INT4_MAX, `must be ${INT4_MAX} or less`)
const version = versionFrom(1)

/** As given: `decide` checks them, because their rules depend on the memory. */
const unchecked = z.unknown()
const common = Object.fromEntries(COMMON_FIELD_NAMES.map((name) => [name, unchecked.optional()]))

const content = z.strictObject(
  { kind: z.string('must be a string'), fields: plainObject },
  { error: ({ code }) => (code === 'invalid_type' ? 'must be a kind with its fields' : undefined) },
)

const expecting = { id: uuid, expectedVersion: version.optional() }

const form = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('remember'),
      id: uuid,
      input: z.strictObject({
        ...common,
        content,
        onExisting: unchecked.optional(),
        furtherParts: z
          .array(z.string('must be a string'), 'must be a list of strings')
          .max(LIMITS.documentParts - 1, `has too many items: the limit is ${LIMITS.documentParts - 1}`)
          .optional(),
      }),
    }),
    z.strictObject({
      type: z.literal('revise'),
      ...expecting,
      input: z.strictObject({ ...common, content: content.nullish() }),
    }),
    z.strictObject({ type: z.enum(['forget', ...TRANSITION_NAMES]), ...expecting }),
    z.strictObject({
      type: z.literal('restore'),
      ...expecting,
      version: version.optional(),
      expiresAt: unchecked.optional(),
    }),
    z.strictObject({ type: z.literal('undo'), ...expecting, toVersion: versionFrom(0) }),
    z.strictObject({ type: z.literal('expire'), id: uuid }),
  ],
  'must be a command of a known type',
)

/** Commands without a form, which would work here and be refused from a follower: the compiler names them. */
type Formless = Exclude<Command['type'], z.output<typeof form>['type']>

/**
 * The command that a value is, from wherever it came: its form, its ids in lower case, its versions in their range. Nothing else
 * makes a command of JSON. What it holds is checked where it is decided (`decide.ts`), in the same words for all.
 * @param field what the errors call the value
 * @throws ValidationError
 */
export const decodeCommand = (
  value: unknown,
  field = 'command',
): [Formless] extends [never] ? Command : Formless => check(field, form, value) as Command
