import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { z } from 'zod'
import { WRITTEN, WRITTEN_OUTPUT, writtenAnswer } from '../answers/written.ts'
import { id } from './search-arguments.ts'
import { tool } from './tool.ts'

const RESTORE = graphql(
  `mutation McpRestore($id: ID!, $version: Int, $idempotencyKey: String) {
    restore(id: $id, version: $version, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Restored { sequence duplicate memory { ...WrittenMemory } }
      ...Failure
    }
  }`,
  [WRITTEN, FAILURE],
)

/** Bring back a version, or a forgotten memory. */
export const restore = tool({
  name: 'restore',
  toolset: 'core',
  title: 'Restore a memory',
  description: 'Brings a forgotten memory back, or makes an earlier version (see history) the current one.',
  effect: 'changes',
  input: z.object({
    id,
    version: z.int().optional().describe('required unless it is forgotten'),
  }),
  output: WRITTEN_OUTPUT,
  example: ({ forgottenId }) => ({ id: forgottenId }),
  async run({ id: memoryId, version }, session) {
    const { restore: result } = await session.ask(RESTORE, {
      id: memoryId,
      version,
      idempotencyKey: session.newKey(undefined),
    })
    return writtenAnswer('restored', [result] as never, { receipts: session.receipts, titled: true })
  },
})
