import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { OPERATION, type Operation } from '../client/operations.ts'
import { request } from '../client/request.ts'
import { succeeded } from '../client/result.ts'
import type { Connection } from '../settings.ts'

const MAP_MEMORIES = graphql('mutation MapMemories { mapMemories { __typename ...Operation ...Failure } }', [
  OPERATION,
  FAILURE,
])

/** Asks for a map. @throws RefusedError, UnreachableError, UnauthorisedError */
export async function startMap(connection: Connection): Promise<Operation> {
  const { __typename: _, ...operation } = succeeded((await request(connection, MAP_MEMORIES, {})).mapMemories)
  return operation
}
