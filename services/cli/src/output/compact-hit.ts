import type { MemoryWithContent } from '../client/memory-content.ts'

interface Hit {
  readonly snippet: string
  readonly memory: MemoryWithContent
}

/**
 * A hit as JSON prints it: what the memory says stands there once, in `memory.content`. Its text is put together from that and its
 * snippet is cut from it; an agent that reads ten hits would pay for each three times.
 */
export function compactHit<Given extends Hit>(given: Given) {
  const { snippet: _, memory, ...hit } = given
  const { text: __, ...once } = memory
  return { ...hit, memory: once }
}
