import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { z } from 'zod'
import { WRITTEN, WRITTEN_OUTPUT, writtenAnswer } from '../answers/written.ts'
import { context } from './search-arguments.ts'
import { tool } from './tool.ts'

const INDEX = graphql(
  `mutation McpIndexDocument(
    $id: String!, $content: String!, $title: String, $metadata: JSON, $context: String, $idempotencyKey: String
  ) {
    indexDocument(
      id: $id, content: $content, title: $title, metadata: $metadata, context: $context, idempotencyKey: $idempotencyKey
    ) {
      __typename
      ... on Remembered { sequence duplicate outcome memory { ...WrittenMemory } }
      ...Failure
    }
  }`,
  [WRITTEN, FAILURE],
)

/** Index a document. */
export const indexDocument = tool({
  name: 'index_document',
  toolset: 'documents',
  title: 'Index a document',
  description:
    'Stores a longer text under an id of yours, such as its path. The same id again replaces its text.',
  effect: 'changes',
  idempotent: true,
  input: z.object({
    id: z.string(),
    content: z.string(),
    title: z.string().optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    context,
  }),
  output: WRITTEN_OUTPUT,
  example: () => ({
    id: 'docs/auth.md',
    title: 'Authentication',
    content: 'Every request carries a token. The gateway checks its expiry before anything else.',
  }),
  async run({ context: within, ...given }, session) {
    const { indexDocument: result } = await session.ask(INDEX, {
      ...given,
      context: within ?? session.context,
      idempotencyKey: session.newKey(undefined),
    })
    return writtenAnswer('indexed', [result] as never, { receipts: session.receipts, titled: false })
  },
})
