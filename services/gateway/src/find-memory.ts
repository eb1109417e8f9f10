import { parseMemoryId } from '@daybook/memory/id'
import { readMemories } from '@daybook/pgvector/read/read-memories'
import type { Context } from './context.ts'

/**
 * A memory by id in both spellings, counted as read; null where there is none, whatever the string. A forgotten one says so itself.
 */
export async function findMemory(context: Context, id: string) {
  const ref = parseMemoryId(id)
  if (ref === null) return null
  const { tables } = await context.readModel()
  const memory = (await readMemories(context.project, tables, [ref.uuid])).get(ref.uuid)
  if (memory === undefined || (ref.kind !== null && memory.state.kind !== ref.kind)) return null
  context.parts.access.touch(context.project, [ref.uuid])
  return memory
}
