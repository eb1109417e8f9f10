import { graphql } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { memoryContent, ownFields } from '@daybook/client/documents/memory-content'
import { safeLine, safeLines, setIn } from '@daybook/memory/safe-text'
import { z } from 'zod'
import {
  AGENT_MEMORY,
  FOUND,
  FOUND_OUTPUT,
  foundAnswer,
  MEMORY,
  memoryLines,
  shownMemory,
} from '../answers/memory.ts'
import { ApiError } from '../session.ts'
import { id, limit, time } from './search.ts'
import { tool } from './tool.ts'

const GET = queries.memory('...AgentMemory ...MemoryContent', [AGENT_MEMORY, memoryContent()])

/** Memories by id. */
export const get = tool({
  name: 'get',
  toolset: 'core',
  title: 'Get memories',
  description: 'Gets whole memories by their ids, with all fields; with asOf, as they were then.',
  effect: 'reads',
  input: z.object({
    ids: z.array(id).min(1).max(20),
    asOf: time('date, time or how long ago'),
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
      ...memories.map((memory) => memoryLines(memory)),
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

const ENTITY = queries.recallEntity('...Found', [FOUND])

/** Entities by name. */
export const getEntity = tool({
  name: 'get_entity',
  toolset: 'people',
  title: 'Get an entity',
  description:
    'Gets the person, place, system or other thing with exactly this name; else searches entities.',
  effect: 'reads',
  input: z.object({ name: z.string(), limit: limit(5) }),
  output: FOUND_OUTPUT,
  example: () => ({ name: 'Ada Lovelace' }),
  run: async (input, session) => foundAnswer((await session.ask(ENTITY, input)).recallEntity),
})

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
