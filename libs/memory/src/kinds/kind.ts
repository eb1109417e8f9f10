import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { longString, moment, shortString } from '../text-rules.ts'

/** What `remember` does if the same thing is remembered already. */
export const ON_EXISTING = ['REVISE', 'KEEP_BOTH', 'REJECT'] as const

/**
 * - `REVISE`: the memory that exists gets a new version
 * - `KEEP_BOTH`: a second memory is made
 * - `REJECT`: nothing is written, and the answer is a conflict
 */
export type OnExisting = (typeof ON_EXISTING)[number]

/** When two memories of a kind are the same thing: they have the same key, and what is said here. */
interface Identity<Name extends string = string> {
  /** What `remember` does unless it is told. */
  readonly onExisting: OnExisting
  /** Where a key means one thing: in one context (none is a context too), or in the whole project. */
  readonly within: 'context' | 'project'
  /** Fields that must be the same too. Default none. */
  readonly alike?: readonly Name[]
}

/** A kind of memory: its fields, and the texts for people and machines that are made from them. */
export interface Kind<F extends Fields = Fields> {
  /** Lower case, as in ids and subjects. */
  readonly name: string
  readonly description: string
  readonly fields: F
  /** The field that holds what the memory says: the one that a program revises with a text. */
  readonly mainField: keyof F & string
  /**
   * Fields that every memory has under the same name, with the same value: a note's `text` is the memory's
   * `text`.
   */
  readonly sameInMemory: readonly (keyof F & string)[]
  /** The key that `recall` and `pop` look up exactly; null if the memory has none. */
  key(content: ContentOf<F>): string | null
  /** When a memory with a key is the same thing as another; null if the kind has no key. */
  readonly identity: Identity<keyof F & string> | null
  /** What a person reads in a list, cut to one line. */
  title(content: ContentOf<F>): string
  /** What the memory says, without its name; null if it has only a name or a summary. */
  body(content: ContentOf<F>): string | null
  /** The whole text that is searched. */
  text(content: ContentOf<F>): string
  /** The text that is embedded. */
  embeddedText(content: ContentOf<F>): string
}

/**
 * Declares a kind. Defaults: `text` is also the embedded text, and its first line the title; no key; no field
 * is the same in the memory. Outside the declaration, only the kind's own checks know the types of its content.
 */
export function kind<const F extends Fields>(
  definition: Pick<Kind<F>, 'name' | 'description' | 'fields' | 'mainField' | 'body' | 'text'> &
    Partial<Pick<Kind<F>, 'key' | 'identity' | 'title' | 'embeddedText' | 'sameInMemory'>>,
): Kind {
  return {
    key: () => null,
    identity: null,
    sameInMemory: [],
    title: definition.text,
    embeddedText: definition.text,
    ...definition,
  }
}

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
type Fields = Readonly<Record<string, AnyField>>

/** The content type that a kind's fields describe: required fields present, the others absent or present. */
type ContentOf<F extends Fields> = {
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
