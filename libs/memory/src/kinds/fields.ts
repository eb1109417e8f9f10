import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { longString, moment, shortString } from '../text-rules.ts'

/** How a field looks from outside. The GraphQL inputs and objects of every kind are derived from it. */
export type FieldShape = 'string' | 'strings' | 'moment' | readonly [string, ...string[]]

/**
 * One field of a kind: its shape, whether it must be given, the check it must pass, and a sentence for the
 * API's docs.
 */
export interface Field<Schema extends z.ZodType = z.ZodType, Required extends boolean = boolean> {
  readonly shape: FieldShape
  readonly required: Required
  readonly schema: Schema
  readonly description: string
}

type AnyField = Field
/** The fields of a kind by name. */
export type Fields = Readonly<Record<string, AnyField>>

/** The content type that a kind's fields describe: required fields present, the others absent or present. */
export type ContentOf<F extends Fields> = {
  readonly [Name in keyof F as F[Name]['required'] extends true ? Name : never]: z.output<F[Name]['schema']>
} & {
  readonly [Name in keyof F as F[Name]['required'] extends true ? never : Name]?: z.output<F[Name]['schema']>
}

function field<Schema extends z.ZodType>(shape: FieldShape, schema: Schema, description: string) {
  return {
    required: (): Field<Schema, true> => ({ shape, required: true, schema, description }),
    optional: (): Field<Schema, false> => ({ shape, required: false, schema, description }),
  }
}

/** A key, name or topic: at most 255 characters. */
export const name = (description: string) => field('string', shortString(LIMITS.nameCharacters), description)

/** A text: at most 64 KiB. */
export const text = (description: string) => field('string', longString(LIMITS.textBytes), description)

/** A list of short texts: at most 256 of 1,024 characters. */
export const list = (description: string) =>
  field(
    'strings',
    z
      .array(shortString(LIMITS.listItemCharacters), 'must be a list of strings')
      .max(LIMITS.listItems, `has too many items: the limit is ${LIMITS.listItems}`),
    description,
  )

/** One word from a fixed list. */
export const choice = <const Words extends readonly [string, ...string[]]>(
  words: Words,
  description: string,
) => field(words, z.enum(words, `must be one of ${words.join(', ')}`), description)

/** A moment in time. */
export const time = (description: string) => field('moment', moment, description)
