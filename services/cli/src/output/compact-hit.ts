import type { MemoryWithContent } from '../client/memory-content.ts'

interface Hit {
  readonly snippet: string
  readonly memory: MemoryWithContent
}

/**
 * A hit for JSON output, with the memory's content only once, in `memory.content`. The text and the snippet
 * repeat it: an agent that reads ten hits would pay for each three times.
 */
export function compactHit<Given extends Hit>(given: Given) {
  const { snippet: _, memory, ...hit } = given
  const { text: __, ...once } = memory
  return { ...hit, memory: once }
}
