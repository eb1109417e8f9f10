import { type Given, graphql, type ResultOf, type VariablesOf } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { OPERATION, type Operation } from '../client/operations.ts'
import { request } from '../client/request.ts'
import { succeeded } from '../client/result.ts'
import type { Connection } from '../settings.ts'

const PLAN = graphql(
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

const START = graphql(
  `mutation Undo(
    $filter: MemoryFilter!, $since: DateTime!, $actor: String, $correlationId: String, $writer: WriterInput,
    $everything: Boolean
  ) {
    undo(
      filter: $filter, since: $since, actor: $actor, correlationId: $correlationId, writer: $writer,
      everything: $everything, dryRun: false
    ) {
      __typename
      ... on Undo { operation { ...Operation } }
      ...Failure
    }
  }`,
  [OPERATION, FAILURE],
)

/** What is to be undone. */
export type UndoAsked = Given<VariablesOf<typeof PLAN>>

/** What an undo would do. */
export type UndoPlan = Extract<ResultOf<typeof PLAN>['undo'], { readonly changed: number }>

/** Asks what an undo would do. @throws RefusedError, UnreachableError, UnauthorisedError */
export async function planUndo(connection: Connection, asked: UndoAsked): Promise<UndoPlan> {
  return succeeded((await request(connection, PLAN, asked)).undo)
}

/** Asks for an undo. @throws RefusedError, UnreachableError, UnauthorisedError */
export async function startUndo(connection: Connection, asked: UndoAsked): Promise<Operation> {
  const { operation } = succeeded((await request(connection, START, asked)).undo)
  if (operation === null) throw new Error('the daemon only planned the undo')
  return operation
}
