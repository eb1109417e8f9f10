import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { PLAN_UNDO, type UndoAsked, type UndoPlan } from '@daybook/client/documents/undo'
import { OPERATION, type Operation } from '../client/operations.ts'
import { request } from '../client/request.ts'
import { succeeded } from '../client/result.ts'
import type { Connection } from '../settings.ts'

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

/** Asks what an undo would do. @throws RefusedError, UnreachableError, UnauthorisedError */
export async function planUndo(connection: Connection, asked: UndoAsked): Promise<UndoPlan> {
  return succeeded((await request(connection, PLAN_UNDO, asked)).undo)
}

/** Asks for an undo. @throws RefusedError, UnreachableError, UnauthorisedError */
export async function startUndo(connection: Connection, asked: UndoAsked): Promise<Operation> {
  const { operation } = succeeded((await request(connection, START, asked)).undo)
  if (operation === null) throw new Error('the daemon only planned the undo')
  return operation
}
