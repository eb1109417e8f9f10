import { graphql } from '@daybook/api/graphql'
import { z } from 'zod'
import { WRITTEN, WRITTEN_OUTPUT, writtenAnswer } from '../answers/written.ts'
import { FAILURE } from '../failure.ts'
import { id } from './search-arguments.ts'
import { tool } from './tool.ts'

const RESOLVE = graphql(
  `mutation McpResolveTodo($id: ID!, $idempotencyKey: String) {
    resolveTodo(id: $id, idempotencyKey: $idempotencyKey) {
      __typename
      ... on Revised { sequence duplicate memory { ...WrittenMemory } }
      ...Failure
    }
  }`,
  [WRITTEN, FAILURE],
)

/** Mark todos as done. */
export const resolveTodo = tool({
  name: 'resolve_todo',
  toolset: 'core',
  title: 'Resolve todos',
  description:
    'Marks todos as done now. Open ones: the resource daybook://todos/open, or search with kinds ["todo"].',
  effect: 'changes',
  idempotent: true,
  input: z.object({ ids: z.array(id).min(1).max(50) }),
  output: WRITTEN_OUTPUT,
  example: ({ todoId }) => ({ ids: [todoId] }),
  async run({ ids }, session) {
    const results: object[] = []
    for (const one of ids)
      results.push(
        (await session.ask(RESOLVE, { id: one, idempotencyKey: session.newKey(undefined) })).resolveTodo,
      )
    return writtenAnswer('resolved', results as never, { receipts: session.receipts, titled: true })
  },
})
