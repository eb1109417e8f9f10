import { folded } from '@daybook/memory/folded'
import { type Memory, type MemoryState, textOf, titleOf } from '@daybook/memory/state'
import { HAPPENED_AT, readOfCategory } from '@daybook/pgvector/read/read-of-category'
import { sql } from 'kysely'
import { checkLimit } from '../check-request.ts'
import type { SearchParts } from '../search-parts.ts'
import type { ListRequest } from './named.ts'

/** What lists of memories need. */
type Parts = Pick<SearchParts, 'scope' | 'readModel'>

/**
 * The events that happened last: memories of the category `event`, the newest first by when they happened. What lies
 * ahead is left out. @throws ValidationError
 */
export async function recentEvents(
  { scope, readModel }: Parts,
  { filter, limit }: ListRequest,
): Promise<Memory[]> {
  return readOfCategory(scope, readModel.tables, {
    category: 'event',
    filter,
    order: 'DATE',
    also: sql<boolean>`${HAPPENED_AT} <= now()`,
    limit: checkLimit(limit),
  })
}

/** A word that begins with panic: panicked, panic-attack, pánico. */
const PANIC = /(?<![\p{L}\p{N}])panic/u
/** Panic with any of its accents, as a quick check of a whole row; "Hispanic" passes it. */
const MAYBE_PANIC = 'p[aàáâä]n[iìíîï]c'
const PAGE = 200

/**
 * Memories of the category `emotion` about panic (in the title, the text, the labels or the categories), the newest
 * first by when it happened. @throws ValidationError
 */
export async function panicAttacks(
  { scope, readModel }: Parts,
  { filter, limit }: ListRequest,
): Promise<Memory[]> {
  checkLimit(limit)
  const found: Memory[] = []
  for (let offset = 0; ; offset += PAGE) {
    const page = await readOfCategory(scope, readModel.tables, {
      category: 'emotion',
      filter,
      order: 'DATE',
      also: sql<boolean>`concat(m.state, m.labels, m.categories) ~* ${MAYBE_PANIC}`,
      limit: PAGE,
      offset,
    })
    found.push(...page.filter(({ state }) => isAboutPanic(state)))
    if (page.length < PAGE || found.length >= limit) return found.slice(0, limit)
  }
}

const isAboutPanic = (state: MemoryState): boolean =>
  PANIC.test(folded([titleOf(state), textOf(state), ...state.labels, ...state.categories].join('\n')))
