import {
  hash,
  type ImportItem,
  isRecord,
  type JsonFormat,
  listOf,
  metadataOf,
  momentOf,
  recordsOf,
} from './format.ts'

/** The memories in what mem0 gives: `get_all`, an export, or a list of its memories. Undefined if it is none of these. */
function memoriesIn(value: unknown): readonly unknown[] | undefined {
  const list = isRecord(value) ? (value['results'] ?? value['memories']) : value
  return Array.isArray(list) && list.some((one) => isRecord(one) && 'memory' in one) ? list : undefined
}

/** mem0's memories as notes. Its user becomes the context, its agent the agent, its categories the categories. */
export const mem0: JsonFormat = {
  name: 'mem0',
  description: 'what mem0 gives by get_all or as an export, as JSON',
  fits: (value) => memoriesIn(value) !== undefined,
  *items(value) {
    yield* recordsOf(memoriesIn(value) ?? [], 'memory', toItem)
  },
}

/** A name, also where a program has numbers for them. */
const nameOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

function toItem(memory: Readonly<Record<string, unknown>>, place: string): ImportItem {
  const { id, memory: text, user_id: user, agent_id: agent, run_id: run, categories, metadata } = memory
  const where = id == null ? place : `memory ${String(id)}`
  if (typeof text !== 'string' || text.trim() === '') return { where, problem: 'has no text' }
  const ends = momentOf(memory['expiration_date'])
  if (ends !== undefined && Date.parse(ends) <= Date.now()) return { where, leftOut: 'expired ones' }
  return {
    where,
    input: {
      content: { note: { text } },
      agent: nameOf(agent),
      context: nameOf(user),
      categories: listOf(categories),
      labels: ['mem0'],
      occurredAt: momentOf(memory['created_at']),
      expiresAt: ends,
      metadata: metadataOf({ ...(isRecord(metadata) ? metadata : {}), mem0: id, run }),
      // mem0 changes a memory in place: the same id with another text revises it.
      idempotencyKey: `mem0:${nameOf(id) ?? `:${hash(text)}`}`,
    },
  }
}
