import type { SearchAnswer } from '@daybook/search/search-request'
import type { Context } from './context.ts'

/** Counts the hits as accessed. The counts are written later and never delay the answer. */
export function countAccess(context: Context, answer: SearchAnswer): SearchAnswer {
  context.parts.access.touch(
    context.project,
    // Of one memory, several versions may be found.
    [...new Set(answer.hits.map((hit) => hit.memory.state.id))],
  )
  return answer
}
