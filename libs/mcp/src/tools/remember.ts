import { graphql, type InputOf } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { z } from 'zod'
import { WRITTEN, WRITTEN_OUTPUT, writtenAnswer } from '../answers/written.ts'
import { COMMON, commonOf, contentOf, fields, KIND_FIELDS } from './memory-arguments.ts'
import { kind } from './search-arguments.ts'
import { tool } from './tool.ts'

const REMEMBER = graphql(
  `mutation McpRemember($inputs: [RememberInput!]!) {
    rememberMany(inputs: $inputs) {
      __typename
      ... on Remembered { sequence duplicate outcome memory { ...WrittenMemory } }
      ...Failure
    }
  }`,
  [WRITTEN, FAILURE],
)

/** The most memories of one call: as many as the API takes. */
const MOST = 500

/** Store memories. */
export const remember = tool({
  name: 'remember',
  toolset: 'core',
  title: 'Remember',
  description: `Stores one or more memories for good. Fields by kind (* required): ${KIND_FIELDS}. A key, name or topic that exists is revised, decisions are kept beside each other; onExisting says otherwise.`,
  effect: 'adds',
  input: z.object({
    memories: z
      .array(
        z.object({
          kind,
          fields: fields('of the kind'),
          ...COMMON,
          onExisting: z.enum(['REVISE', 'KEEP_BOTH', 'REJECT']).optional(),
        }),
      )
      .min(1)
      .max(MOST),
    idempotencyKey: z.string().optional().describe('the same key again does not write again'),
  }),
  output: WRITTEN_OUTPUT,
  example: () => ({
    memories: [
      {
        kind: 'insight',
        fields: { key: 'jwt-validation', content: 'Always validate JWT expiration before trusting claims' },
        labels: ['security'],
      },
      { kind: 'todo', fields: { description: 'Rotate the signing keys' } },
    ],
  }),
  async run({ memories, idempotencyKey }, session) {
    const inputs = memories.map(({ kind: of, fields: own, onExisting, ...common }, at) => ({
      content: contentOf(of, own),
      agent: session.agent,
      context: session.context,
      ...commonOf(common),
      onExisting,
      idempotencyKey: session.newKey(idempotencyKey, at),
    })) as unknown as readonly InputOf<'RememberInput'>[]
    const { rememberMany } = await session.ask(REMEMBER, { inputs })
    return writtenAnswer('remembered', rememberMany as never, { receipts: session.receipts, titled: false })
  },
})
