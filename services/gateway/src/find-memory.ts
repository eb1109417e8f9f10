import { parseMemoryId } from '@daybook/memory/id'
import { type PastMoment, readMemories, readMemoryAsOf } from '@daybook/pgvector/read/read-memories'
import type { Context } from './context.ts'

/**
 * A memory by id in both spellings, counted as read; null where there is none, whatever the string. A forgotten one says so itself.
 * @param past reads it as it was. Default: as it is
 */
export async function findMemory(context: Context, id: string, past: PastMoment | null = null) {
  const ref = parseMemoryId(id)
  if (ref === null) return null
  const { tables } = await context.readModel()
  const memory =
    past === null
      ? ((await readMemories(context.project, tables, [ref.uuid])).get(ref.uuid) ?? null)
      : await readMemoryAsOf(context.project, tables, ref.uuid, past)
  if (memory === null || (ref.kind !== null && memory.state.kind !== ref.kind)) return null
  context.parts.access.touch(context.project, [ref.uuid])
  return memory
}
