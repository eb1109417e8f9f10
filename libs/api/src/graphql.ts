import type { DocumentDecoration, initGraphQLTada } from 'gql.tada'
import type { Schema } from './schema.d.ts'

/*
 * Documents of the API, typed from its schema. gql.tada reads them only in the type checker. At run time they
 * are strings, so a client loads no parser and parses nothing.
 */

/** The JSON types of the API's own scalars. */
interface Scalars {
  /** RFC 3339; in UTC in results. */
  readonly DateTime: string
  readonly JSON: Readonly<Record<string, unknown>>
}

interface Setup {
  readonly introspection: Schema
  readonly scalars: Scalars
  // Fragments only avoid repetition: their fields stay visible where they are spread.
  readonly disableMasking: true
}

export type { ResultOf, VariablesOf } from 'gql.tada'

/** A word of ours as a value of one of the API's enums: `keep-both` is `KEEP_BOTH`. */
export const enumValue = <Word extends string>(word: Word): EnumValue<Word> =>
  word.toUpperCase().replaceAll('-', '_') as EnumValue<Word>

type EnumValue<Word extends string> = Word extends `${infer First}-${infer Rest}`
  ? `${Uppercase<First>}_${EnumValue<Rest>}`
  : Uppercase<Word>

/** An operation or fragment made by `graphql`, with the types of its result and its variables. */
export type GraphQLDocument<Result = unknown, Variables = never> = DocumentDecoration<Result, Variables>

/** A document at run time: its own text, then the texts of the fragments that it spreads, each once. */
interface Texts {
  readonly texts: readonly string[]
}

function toTexts(text: string, fragments: readonly Texts[] = []): Texts {
  return { texts: [...new Set([text, ...fragments.flatMap(({ texts }) => texts)])] }
}

/**
 * Makes a document from its text (one operation or one fragment) and the fragments that it spreads. A field
 * missing in the schema becomes `unknown` in the result, so each client compares its documents with the
 * schema in a test.
 */
export const graphql = toTexts as unknown as initGraphQLTada<Setup>

/** The document's text as it is sent. */
export const textOf = (document: GraphQLDocument): string => (document as unknown as Texts).texts.join('\n')

/** The TypeScript type of an input, enum or scalar of the schema, by name. */
export type InputOf<Name extends string> = ReadonlyInput<ReturnType<typeof graphql.scalar<Name>>>

/**
 * Variables as callers may pass them: read-only, and optional ones may be undefined, which JSON leaves out.
 */
export type ReadonlyInput<T> = T extends readonly (infer One)[]
  ? readonly ReadonlyInput<One>[]
  : T extends object
    ? { readonly [Name in keyof T]: ReadonlyInput<T[Name]> | ({} extends Pick<T, Name> ? undefined : never) }
    : T
