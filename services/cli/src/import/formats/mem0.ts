import type { ImportItem, JsonFormat } from './format.ts'
import { hash, isRecord, listOf, metadataOf, momentOf } from './values.ts'

/** The memories in what mem0 gives: `get_all`, an export, or a list of its memories. Undefined if it is none of these. */
function memoriesIn(value: unknown): readonly Record<string, unknown>[] | undefined {
  const list = isRecord(value) ? (value['results'] ?? value['memories']) : value
  return Array.isArray(list) && list.every((one) => isRecord(one) && typeof one['memory'] === 'string')
    ? list
    : undefined
}

/** mem0's memories as notes. Its user becomes the context, its agent the agent, its categories the categories. */
export const mem0: JsonFormat = {
  name: 'mem0',
  description: 'what mem0 gives by get_all or as an export, as JSON',
  fits: (value) => memoriesIn(value) !== undefined,
  *items(value) {
    for (const memory of memoriesIn(value) ?? []) yield toItem(memory)
  },
}

function toItem(memory: Record<string, unknown>): ImportItem {
  const { id, memory: text, user_id: user, agent_id: agent, run_id: run, categories, metadata } = memory
  const where = `memory ${String(id ?? hash(String(text)))}`
  if (String(text).trim() === '') return { where, problem: 'has no text' }
  return {
    where,
    input: {
      content: { note: { text: String(text) } },
      agent: typeof agent === 'string' ? agent : undefined,
      context: typeof user === 'string' ? user : undefined,
      categories: listOf(categories),
      labels: ['mem0'],
      occurredAt: momentOf(memory['created_at']),
      metadata: metadataOf({ ...(isRecord(metadata) ? metadata : {}), mem0: id, run }),
      // mem0 changes memories in place: the text in the key lets a changed one in.
      idempotencyKey: `mem0:${String(id ?? '')}:${hash(String(text))}`,
    },
  }
}
