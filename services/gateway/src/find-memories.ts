import { parseMemoryId } from '@daybook/memory/id'
import type { Memory } from '@daybook/memory/state'
import { readMemories } from '@daybook/pgvector/read/read-memories'
import type { Context } from './context.ts'

/** Like `findMemory`, of several at once, in the order of the ids. */
export async function findMemories(context: Context, ids: readonly string[]): Promise<(Memory | null)[]> {
  const refs = ids.map(parseMemoryId)
  const uuids = [...new Set(refs.flatMap((ref) => (ref === null ? [] : [ref.uuid])))]
  const { tables } = await context.readModel()
  const found = await readMemories(context.project, tables, uuids)
  context.parts.access.touch(context.project, [...found.keys()])
  return refs.map((ref) => {
    const memory = ref === null ? undefined : found.get(ref.uuid)
    return memory === undefined || (ref?.kind != null && memory.state.kind !== ref.kind) ? null : memory
  })
}
