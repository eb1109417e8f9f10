import { type Given, graphql, type ResultOf, type VariablesOf } from '@daybook/api/graphql'
import { FAILURE } from './failure.ts'

/** Asks what an undo would do, without doing it. */
export const PLAN_UNDO = graphql(
  `mutation PlanUndo(
    $filter: MemoryFilter!, $since: DateTime!, $actor: String, $correlationId: String, $writer: WriterInput,
    $everything: Boolean
  ) {
    undo(
      filter: $filter, since: $since, actor: $actor, correlationId: $correlationId, writer: $writer,
      everything: $everything, dryRun: true
    ) {
      __typename
      ... on Undo {
        changed refused sequence
        changes(first: 1000) { memoryId title action happened fromVersion toVersion }
        refusals(first: 1000) { memoryId title happened code reason }
      }
      ...Failure
    }
  }`,
  [FAILURE],
)

/** What is to be undone. */
export type UndoAsked = Given<VariablesOf<typeof PLAN_UNDO>>

/** What an undo would do. */
export type UndoPlan = Extract<ResultOf<typeof PLAN_UNDO>['undo'], { readonly changed: number }>
