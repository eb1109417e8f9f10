import type { MemoryWithContent } from '@daybook/client/documents/memory-content'

interface Hit {
  readonly memory: MemoryWithContent
}

/**
 * A hit as JSON prints it: what the memory says stands there once, in `memory.content`, and the snippet shows which passage matched. Its
 * text is put together from the content; an agent that reads ten hits would pay for each twice.
 */
export function compactHit<Given extends Hit>(given: Given) {
  const { memory, ...hit } = given
  const { text: _, ...once } = memory
  return { ...hit, memory: once }
}
