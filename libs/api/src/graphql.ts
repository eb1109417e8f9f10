import type { DocumentDecoration, initGraphQLTada } from 'gql.tada'
import type { Schema } from './schema.d.ts'

/*
 * Documents of the API whose types follow from its schema. gql.tada reads them in the type checker only: at run time they are texts, so
 * that a client loads no parser and parses nothing.
 */

/** What the API's own scalars are in JSON. */
interface Scalars {
  /** RFC 3339, in UTC when it comes out. */
  readonly DateTime: string
  readonly JSON: Readonly<Record<string, unknown>>
}

interface Setup {
  readonly introspection: Schema
  readonly scalars: Scalars
  // Fragments say once what several documents ask for; they hide nothing from whoever spreads them.
  readonly disableMasking: true
}

export type { ResultOf, VariablesOf } from 'gql.tada'

/** An operation or a fragment that `graphql` has made, with the types of its result and its variables. */
export type GraphQLDocument<Result = unknown, Variables = never> = DocumentDecoration<Result, Variables>

/** What is there at run time: the document's own text, then those of the fragments that it spreads, each once. */
interface Texts {
  readonly texts: readonly string[]
}

function toTexts(text: string, fragments: readonly Texts[] = []): Texts {
  return { texts: [...new Set([text, ...fragments.flatMap(({ texts }) => texts)])] }
}

/**
 * A document from its text, one operation or one fragment, and the fragments that the text spreads. A field that the schema does not
 * have is only `unknown` in the result: each client compares its documents with the schema in a test.
 */
export const graphql = toTexts as unknown as initGraphQLTada<Setup>

/** The document as it is sent. */
export const textOf = (document: GraphQLDocument): string => (document as unknown as Texts).texts.join('\n')

/** A type of the schema that is given, by its name: an input, an enum or a scalar. */
export type InputOf<Name extends string> = Given<ReturnType<typeof graphql.scalar<Name>>>

/** Variables as they may be given: read only, and where they are optional also undefined, which JSON leaves out. */
export type Given<T> = T extends readonly (infer One)[]
  ? readonly Given<One>[]
  : T extends object
    ? { readonly [Name in keyof T]: Given<T[Name]> | ({} extends Pick<T, Name> ? undefined : never) }
    : T
