import { FAILURE } from './failure.ts'
import { graphql } from './graphql.ts'

/*
 * Makes what `queries.ts`, `mutations.ts` and `subscriptions.ts` have for each field: a function from a selection of its
 * result to a document. All arguments of the field are the document's variables; those that are not given have the
 * API's defaults. The result is under the name of the field, that of a mutation under `result`.
 */

type Fragments = NonNullable<Parameters<typeof graphql>[1]>

/** A field without expected failures. @param head the operation up to the selection */
export const rootField =
  <const Head extends string>(head: Head) =>
  <const Selection extends string, const Used extends Fragments = []>(
    selection: Selection,
    fragments?: Used,
  ) =>
    graphql(`${head} { ${selection} } }` as const, fragments)

/** A field that may fail: what is selected is of a success. @param head the operation up to that selection */
export const fallibleField =
  <const Head extends string>(head: Head) =>
  <const Selection extends string, const Used extends Fragments = []>(
    selection: Selection,
    fragments: Used = [] as Fragments as Used,
  ) =>
    graphql(`${head} { ${selection} } ...Failure } }` as const, [...fragments, FAILURE])
