import { graphql } from '@daybook/api/graphql'
import { safeLine } from '@daybook/memory/safe-text'
import { safeLines, setIn } from '@daybook/memory/set-in'
import { z } from 'zod'
import { ApiError } from '../daybook.ts'
import { id } from './search-arguments.ts'
import { tool } from './tool.ts'

const HISTORY = graphql(`
  query McpHistory($id: ID!, $first: Int, $after: String, $atLeast: Int) {
    memory(id: $id, atLeast: $atLeast) {
      history(first: $first, after: $after) {
        edges { node { sequence type version changed recordedAt writer { agent } memory { text } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }`)

/** The versions of a memory. */
export const history = tool({
  name: 'history',
  toolset: 'core',
  title: 'History of a memory',
  description: 'Lists every version of a memory, oldest first: what changed, when, by whom, the text then.',
  effect: 'reads',
  input: z.object({ id, limit: z.int().min(1).max(100).default(20), after: z.string().optional() }),
  output: z.looseObject({
    versions: z.array(z.looseObject({ version: z.int(), type: z.string(), at: z.string() })),
    next: z.string().optional().describe('pass as after'),
  }),
  example: ({ memoryId }) => ({ id: memoryId }),
  async run({ id: memoryId, limit: first, after }, session) {
    const { memory } = await session.ask(HISTORY, {
      id: memoryId,
      first,
      after,
      atLeast: session.receipts.newest,
    })
    if (memory === null)
      throw new ApiError('NOT_FOUND', `There is no memory ${memoryId}: search finds ids`, { field: 'id' })
    const { edges, pageInfo } = memory.history
    const versions = edges.map(({ node }) => ({
      version: node.version,
      type: node.type,
      at: node.recordedAt,
      changed: node.changed,
      sequence: node.sequence,
      ...(node.writer?.agent != null && { agent: node.writer.agent }),
      ...(node.memory !== null && { text: node.memory.text }),
    }))
    const lines = versions.map(({ version, type, at, agent, text, changed }) => {
      const by = agent === undefined ? '' : ` by ${safeLine(agent)}`
      const what = changed.length === 0 ? '' : `: ${changed.join(', ')}`
      return `version ${version} ${type} ${at}${by}${what}${text === undefined ? '' : `\n${setIn(safeLines(text))}`}`
    })
    const next = pageInfo.hasNextPage ? pageInfo.endCursor : null
    return {
      data: { versions, ...(next != null && { next }) },
      text: [...lines, ...(next == null ? [] : [`More: after ${next}`])].join('\n'),
      quotes: true,
    }
  },
})
