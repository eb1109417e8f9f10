import { graphql } from '@daybook/api/graphql'
import { memoryContent, ownFields } from '@daybook/client/documents/memory-content'
import { z } from 'zod'
import { AGENT_MEMORY, MEMORY, memoryLines, shownMemory } from '../answers/memory.ts'
import { id } from './search-arguments.ts'
import { tool } from './tool.ts'

const GET = graphql(
  `query McpGet($id: ID!, $asOf: DateTime, $atLeast: Int) {
    memory(id: $id, asOf: $asOf, atLeast: $atLeast) { ...AgentMemory ...MemoryContent }
  }`,
  [AGENT_MEMORY, memoryContent()],
)

/** Memories by id. */
export const get = tool({
  name: 'get',
  toolset: 'core',
  title: 'Get memories',
  description: 'Gets whole memories by their ids, with all fields; with asOf, as they were then.',
  effect: 'reads',
  input: z.object({
    ids: z.array(id).min(1).max(20),
    asOf: z.string().optional().describe('RFC 3339'),
  }),
  output: z.looseObject({ memories: z.array(MEMORY), missing: z.array(z.string()).optional() }),
  example: ({ memoryId }) => ({ ids: [memoryId] }),
  async run({ ids, asOf }, session) {
    const atLeast = asOf === undefined ? session.receipts.newest : null
    const found = await Promise.all(
      ids.map(async (one) => (await session.ask(GET, { id: one, asOf, atLeast })).memory),
    )
    const memories = found.filter((memory) => memory !== null)
    const missing = ids.filter((_, at) => found[at] === null)
    const lines = [
      ...memories.map(memoryLines),
      ...missing.map((one) => `There is no memory ${one}${asOf === undefined ? '' : ` at ${asOf}`}.`),
    ].join('\n\n')
    return {
      data: {
        memories: memories.map((memory) => ({
          ...shownMemory(memory),
          fields: ownFields(memory),
        })),
        ...(missing.length > 0 && { missing }),
      },
      text: lines,
      quotes: memories.length > 0,
    }
  },
})
