import { graphql } from '@daybook/api/graphql'
import { z } from 'zod'
import { WRITTEN, WRITTEN_OUTPUT, writtenAnswer } from '../answers/written.ts'
import { FAILURE } from '../failure.ts'
import { id } from './search-arguments.ts'
import { tool } from './tool.ts'

const FORGET = graphql(
  `mutation McpForget($id: ID!, $idempotencyKey: String) {
    forget(id: $id, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Forgotten { sequence duplicate memory { ...WrittenMemory } }
      ...Failure
    }
  }`,
  [WRITTEN, FAILURE],
)

/** Take memories out of searches. */
export const forget = tool({
  name: 'forget',
  toolset: 'core',
  title: 'Forget memories',
  description: 'Takes memories out of all searches. They stay in the journal: restore brings them back.',
  effect: 'changes',
  idempotent: true,
  input: z.object({ ids: z.array(id).min(1).max(50) }),
  output: WRITTEN_OUTPUT,
  example: ({ memoryId }) => ({ ids: [memoryId] }),
  async run({ ids }, session) {
    const results: object[] = []
    for (const one of ids)
      results.push((await session.ask(FORGET, { id: one, idempotencyKey: session.newKey(undefined) })).forget)
    return writtenAnswer('forgotten', results as never, { receipts: session.receipts, titled: true })
  },
})
