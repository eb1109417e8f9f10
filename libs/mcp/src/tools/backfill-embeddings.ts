import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { z } from 'zod'
import { succeeded } from '../failure.ts'
import { OPERATION, operationLine, waitForOperation } from '../operation.ts'
import { tool } from './tool.ts'

const BACKFILL = graphql(
  `mutation McpBackfill { backfill(projection: PGVECTOR) { __typename ...McpOperation ...Failure } }`,
  [OPERATION, FAILURE],
)

/** Make missing vectors. */
export const backfillEmbeddings = tool({
  name: 'backfill_embeddings',
  toolset: 'ops',
  title: 'Backfill embeddings',
  description:
    'Makes the vectors that memories lack, also those that failed before. Needs a key that runs the whole Daybook.',
  effect: 'adds',
  idempotent: true,
  input: z.object({}),
  output: z.looseObject({ operation: z.string(), status: z.string() }),
  example: () => ({}),
  async run(_, session) {
    const { backfill } = await session.ask(BACKFILL, {})
    const operation = await waitForOperation(succeeded(backfill), session)
    const { id, status, result } = operation
    const counts = result == null ? '' : ` ${JSON.stringify(result)}`
    return {
      data: { operation: id, status, ...(result != null && { result: { ...result } }) },
      text: `${operationLine(operation)}${counts}`,
      failed: status === 'FAILED',
    }
  },
})
