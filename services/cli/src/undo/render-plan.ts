import type { UndoPlan } from '@daybook/client/documents/undo'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/size-in-words'
import { shorten } from '../output/shorten.ts'
import { table } from '../output/table.ts'

/** Columns of a title. */
const TITLE = 40
/** Rows shown of each list; `--json` has 1,000. */
const ROWS = 50

/** What would be done, as tables: the memories that change, and those that are refused. */
export function renderPlan({ changed, refused, changes, refusals }: UndoPlan): string {
  if (changed + refused === 0) return 'Nothing to undo: nothing of that has happened since.'
  const lines: string[] = []
  if (changed > 0) {
    const rows = changes
      .slice(0, ROWS)
      .map(({ memoryId, title, action, happened, toVersion }) => [
        action === 'FORGET' ? 'forget' : `back to version ${toVersion}`,
        shorten(safeLine(title ?? ''), TITLE),
        inWords(happened),
        safeLine(memoryId),
      ])
    lines.push(table(['undo', 'memory', 'what happened', 'id'], rows), ...more(changed - rows.length))
  }
  if (refused > 0) {
    const rows = refusals
      .slice(0, ROWS)
      .map(({ memoryId, title, reason }) => [
        shorten(safeLine(title ?? '(erased)'), TITLE),
        safeLine(reason ?? ''),
        safeLine(memoryId),
      ])
    lines.push('', `Stays as it is (${grouped(refused)}):`, table(['memory', 'why', 'id'], rows))
    lines.push(...more(refused - rows.length))
  }
  return [...lines, '', `Memories that change: ${grouped(changed)}; refused: ${grouped(refused)}.`]
    .join('\n')
    .trim()
}

const more = (left: number) => (left > 0 ? [`… and ${grouped(left)} more`] : [])

/** `MemoryRevised` twice becomes `revised 2 times`. */
function inWords(happened: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const type of happened) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts]
    .map(([type, count]) => {
      const word = safeLine(type.replace(/^Memory/u, '').toLowerCase())
      return count === 1 ? word : `${word} ${grouped(count)} times`
    })
    .join(', ')
}
