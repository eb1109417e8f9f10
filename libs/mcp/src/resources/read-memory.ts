import { graphql } from '@daybook/api/graphql'
import { AGENT_MEMORY, memoryLines } from '../answers/memory.ts'
import { quoting } from '../answers/notice.ts'
import type { Session } from '../session.ts'

const MEMORY = graphql(
  'query McpMemory($id: ID!, $atLeast: Int) { memory(id: $id, atLeast: $atLeast) { ...AgentMemory } }',
  [AGENT_MEMORY],
)

/** A memory as text; null if there is none. @throws ApiError */
export async function readMemory(id: string, session: Session): Promise<string | null> {
  const { memory } = await session.ask(MEMORY, { id, atLeast: session.receipts.newest })
  return memory === null ? null : quoting(memoryLines(memory))
}
