import { entryText } from '@daybook/memory/entry-text'
import { isKindName, kindNamed } from '@daybook/memory/kinds/index'
import { delimited } from '@daybook/memory/safe-text'
import { tool } from 'ai'
import { z } from 'zod'
import { DaybookClientError } from '../client-error.ts'
import type { DaybookClient } from '../create-client.ts'
import { contentOfKind, type MemoryContent } from '../documents/memory-content.ts'
import type { Memory, SearchResult } from '../memory.ts'
import type { MemoryFilter } from '../reads.ts'

/** Which memories the tools reach. */
export interface MemoryToolOptions {
  /** Limits what `searchMemories` and `openTodos` find. Default: all memories of the project. */
  readonly filter?: MemoryFilter | undefined
  /** The most tokens of memories in one answer of `searchMemories`. Default 1,000. */
  readonly tokenBudget?: number | undefined
}

/** The exact ones where there are some, else the nearest. */
function foundByKey({ hits, matchType, degraded }: SearchResult): string {
  const exact = matchType === 'EXACT' || hits.length === 0
  return asData(entriesOf(hits.map(({ memory }) => memory)), [
    ...(exact ? [] : ['No memory has exactly this key; these are the nearest.']),
    ...degraded,
  ])
}

const id = z.string().describe('The id of a memory, such as insight:0192f0c1-…')

const OPEN_TODOS = 20

/**
 * Tools with which a model of Vercel's AI SDK searches and recalls memories. All that memories say reaches the model as
 * delimited data, never as instructions. A call that fails tells the model why.
 */
export function readingTools(client: DaybookClient, { filter, tokenBudget = 1_000 }: MemoryToolOptions = {}) {
  return {
    searchMemories: tool({
      description:
        'Searches what was remembered before, by words and by meaning. Use it before you answer or decide something that may have come up before.',
      inputSchema: z.object({
        query: z.string().min(1).describe('What to look for, as a question or words.'),
      }),
      execute: async ({ query }, { abortSignal }): Promise<string> => {
        const { text, message, degraded } = await client.contextFor(query, {
          filter,
          tokenBudget,
          signal: abortSignal,
        })
        const notes = [...(message === null ? [] : [message]), ...degraded]
        return asData(text, notes)
      },
    }),
    recallMemory: tool({
      description: 'Recalls what was remembered under a key.',
      inputSchema: z.object({ key: z.string().min(1) }),
      execute: async ({ key }, { abortSignal }) =>
        foundByKey(await client.recall(key, { signal: abortSignal })),
    }),
    readMemory: tool({
      description: 'Reads a whole memory by its id, where a search showed only a passage.',
      inputSchema: z.object({ id }),
      execute: async (input, { abortSignal }): Promise<string> => {
        const memory = await client.memory(input.id, { signal: abortSignal })
        return memory === null ? 'There is no such memory.' : asData(entriesOf([memory]))
      },
    }),
    openTodos: tool({
      description: `Lists what is left to do, the newest first, at most ${OPEN_TODOS}.`,
      inputSchema: z.object({}),
      execute: async (_, { abortSignal }): Promise<string> => {
        const todos: Memory[] = []
        for await (const todo of client.openTodos({ filter, pageSize: OPEN_TODOS, signal: abortSignal }))
          if (todos.push(todo) >= OPEN_TODOS) break
        return asData(entriesOf(todos))
      },
    }),
  }
}

/** Tools with which a model remembers and changes memories. What it writes can be undone: see `client.undo`. */
export function writingTools(client: DaybookClient) {
  return {
    remember: tool({
      description:
        'Remembers something for later conversations: a fact, a preference, a decision, something left to do. Remember one thing at a time, in words that are understood without this conversation. Do not remember secrets.',
      inputSchema: z.object({
        text: z.string().min(1).describe('What to remember.'),
        key: z
          .string()
          .min(1)
          .max(255)
          .optional()
          .describe('A short name to recall it by. The same key again replaces what it said.'),
        todo: z.boolean().optional().describe('Whether it is something left to do.'),
        labels: z.array(z.string().min(1).max(64)).max(32).optional(),
        importance: z
          .number()
          .int()
          .min(0)
          .max(10)
          .optional()
          .describe('How much it matters; 5 unless given.'),
      }),
      execute: async ({ text, key, todo, labels, importance }, { abortSignal }) => {
        const content =
          todo === true
            ? { todo: { description: text, context: key } }
            : key === undefined
              ? { note: { text } }
              : { insight: { key, content: text } }
        const written = await client.remember({ content, labels, importance }, { signal: abortSignal })
        return { id: written.id, outcome: written.outcome }
      },
    }),
    reviseMemory: tool({
      description:
        'Replaces the text of a memory that is not true any more. The versions before stay in its history.',
      inputSchema: z.object({ id, text: z.string().min(1) }),
      execute: async (input, { abortSignal: signal }) => {
        const content = revisionOf(input.id, input.text)
        const { id: revised, version } = await client.revise(input.id, { content }, { signal })
        return { id: revised, version }
      },
    }),
    forgetMemory: tool({
      description: 'Takes a memory out of all searches, because it is wrong or was not meant to be kept.',
      inputSchema: z.object({ id }),
      execute: async (input, { abortSignal }) => {
        const { id: forgotten } = await client.forget(input.id, { signal: abortSignal })
        return { id: forgotten }
      },
    }),
    resolveTodo: tool({
      description: 'Says that a todo is done.',
      inputSchema: z.object({ id }),
      execute: async (input, { abortSignal }) => {
        const { id: resolved } = await client.resolveTodo(input.id, { signal: abortSignal })
        return { id: resolved }
      },
    }),
  }
}

/** All tools. Leave out `writingTools` for a model that takes in what strangers say. */
export const memoryTools = (client: DaybookClient, options?: MemoryToolOptions) => ({
  ...readingTools(client, options),
  ...writingTools(client),
})

/** Memories as a model may read them: numbered entries in which none can look like another one. */
const entriesOf = (memories: readonly Memory[]): string =>
  memories.map((memory, index) => entryText(index + 1, memory, memory.text)).join('\n')

/** What a tool gives a model: what memories say, marked as data. */
function asData(text: string, notes: readonly string[] = []): string {
  const { rule, block } = delimited('memories', text)
  return [rule, block, ...notes].join('\n')
}

/** The revision that replaces what a memory says. Its id begins with its kind. @throws DaybookClientError VALIDATION */
function revisionOf(memoryId: string, text: string): MemoryContent {
  const kind = memoryId.split(':')[0] ?? ''
  if (!isKindName(kind))
    throw new DaybookClientError(
      'VALIDATION',
      `id must begin with a kind, such as insight:0192f0c1-…: ${memoryId}`,
      {
        field: 'id',
      },
    )
  return contentOfKind(kind, { [kindNamed(kind).mainField]: text })
}
