import type { ResultOf } from '@daybook/api/graphql'
import type * as MemoryContent from '@daybook/client/documents/memory-content'
import { safeText } from '@daybook/memory/safe-text'
import { painterFor } from '../output/paint.ts'
import { note, print, printJson } from '../output/print.ts'
import { renderHit } from '../output/search-hit.ts'
import type { foundFragment, searchDocument } from './search-document.ts'

type Found =
  | ResultOf<ReturnType<typeof searchDocument>>['search']
  | ResultOf<ReturnType<typeof foundFragment>>

/**
 * Prints what a search found: hits, or JSON alone; what is missing on standard error.
 * @param content the module that puts a kind's fields together, if JSON is wanted
 * @param withVersion whether hits say their version
 */
export async function showFound(
  result: Found,
  content: typeof MemoryContent | null,
  withVersion = false,
): Promise<void> {
  for (const missing of result.degraded) note(`Note: ${safeText(missing)}`)
  if (result.message !== null) note(safeText(result.message))
  if (content !== null) {
    const { compactHit } = await import('../output/compact-hit.ts')
    const hits = result.hits.map((hit) => compactHit({ ...hit, memory: content.withContent(hit.memory) }))
    return printJson({ ...result, hits })
  }
  if (result.hits.length === 0 && result.message === null) note('Nothing was found.')
  const paint = painterFor(process.stdout)
  const now = Date.now()
  const rendered = result.hits.map((hit, index) => renderHit(index + 1, hit, paint, now, withVersion))
  if (rendered.length > 0) print(rendered.join('\n\n'))
}
