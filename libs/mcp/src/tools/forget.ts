import { graphql } from '@daybook/api/graphql'
import { FAILURE } from '@daybook/client/documents/failure'
import { z } from 'zod'
import { WRITTEN, WRITTEN_OUTPUT } from '../answers/written.ts'
import { id } from './search-arguments.ts'
import { tool } from './tool.ts'
import { writeEach } from './write-each.ts'

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
  run: ({ ids }, session) =>
    writeEach('forgotten', ids, session, async (one) => (await session.ask(FORGET, one)).forget),
})
