import { graphql, type InputOf } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { isKindName } from '@daybook/memory/kinds/index'
import { z } from 'zod'
import { WRITTEN, WRITTEN_OUTPUT, writtenAnswer } from '../answers/written.ts'
import { COMMON, commonOf, contentOf, emptied, fields } from './memory-arguments.ts'
import { id, kind } from './search-arguments.ts'
import { tool } from './tool.ts'

const REVISE = graphql(
  `mutation McpRevise($id: ID!, $input: ReviseInput!, $expectedVersion: Int, $idempotencyKey: String) {
    revise(id: $id, input: $input, expectedVersion: $expectedVersion, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Revised { sequence duplicate memory { ...WrittenMemory } }
      ...Failure
    }
  }`,
  [WRITTEN, FAILURE],
)

/** Change memories. */
export const revise = tool({
  name: 'revise',
  toolset: 'core',
  title: 'Revise memories',
  description:
    'Changes memories: only what is given changes. Earlier versions stay in the history. Fields are those of the kind, as in remember.',
  effect: 'changes',
  input: z.object({
    changes: z
      .array(
        z.object({
          id,
          kind: kind.optional().describe('if the id does not begin with it'),
          fields: fields('of the kind').optional(),
          ...COMMON,
          clear: z.array(z.string()).optional().describe('names of fields to empty'),
          expectedVersion: z.int().optional().describe('refuses if it is at another'),
        }),
      )
      .min(1)
      .max(50),
    idempotencyKey: z.string().optional(),
  }),
  output: WRITTEN_OUTPUT,
  example: ({ memoryId }) => ({
    changes: [{ id: memoryId, fields: { content: 'Validate expiry and audience of a JWT' }, importance: 8 }],
  }),
  async run({ changes, idempotencyKey }, session) {
    const results: object[] = []
    // One after the other: two changes of one memory keep their order.
    for (const [
      at,
      { id: memoryId, kind: given, fields: own, expectedVersion, clear = [], ...common },
    ] of changes.entries()) {
      const of = given ?? memoryId.split(':')[0] ?? ''
      const empty = emptied(of, clear)
      const content = { ...own, ...empty.own }
      const hasContent = Object.keys(content).length > 0
      if (hasContent && !isKindName(of)) {
        results.push({
          code: 'VALIDATION',
          field: `changes[${at}].kind`,
          message: 'is missing: the id does not say of which kind it is',
        })
        continue
      }
      const { revise: result } = await session.ask(REVISE, {
        id: memoryId,
        input: {
          ...commonOf(common),
          ...empty.common,
          ...(hasContent && { content: contentOf(of, content) }),
        } as InputOf<'ReviseInput'>,
        expectedVersion,
        idempotencyKey: session.newKey(idempotencyKey, at),
      })
      results.push(result)
    }
    return writtenAnswer('revised', results as never, { receipts: session.receipts, titled: true })
  },
})
