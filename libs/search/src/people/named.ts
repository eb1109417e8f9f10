import type { MemoryFilter } from '@daybook/memory/filter'
import { folded } from '@daybook/memory/fold-words'
import { interestName, personName } from '@daybook/memory/hit-lines'
import { safeLine } from '@daybook/memory/safe-text'
import { type Memory, type MemoryState, textOf, titleOf } from '@daybook/memory/state'
import { oneLine } from '@daybook/memory/text-rules'
import { type CategoryPage, HAPPENED_AT, readOfCategory } from '@daybook/pgvector/read/read-memories'
import { sql } from 'kysely'
import { checkLimit } from '../check-request.ts'
import type { SearchParts } from '../search-parts.ts'

/** A person or an interest, with the memories about it. */
export interface Named {
  readonly name: string
  /** What its most important memory says, as one line of at most 200 characters. */
  readonly summary: string
  /** Of its most important memory, 0 to 10. */
  readonly importance: number
  /** Its most important memory; the newest of several. */
  readonly memory: Memory
  /** How many memories are about it. */
  readonly memories: number
}

/** What is listed, and how much of it. */
export interface ListRequest {
  readonly filter: MemoryFilter
  /** 1 to 100. */
  readonly limit: number
}

/** The most memories that are looked at: names stand in their texts, which are read for it. */
const LOOKED_AT = 1_000

/** The most characters of a summary. */
const SUMMARY = 200

/**
 * The people that memories of the category `person`, and entities of the type person, are about; the most important
 * first. Memories of one name, whatever its case and accents, are one person.
 * @throws ValidationError
 */
export const listPeople = (
  parts: Pick<SearchParts, 'scope' | 'readModel'>,
  request: ListRequest,
): Promise<Named[]> => listNamed(parts, request, { category: 'person', orEntityType: 'person' }, personName)

/** The interests that memories of the category `interest` are about. @throws ValidationError */
export const listInterests = (
  parts: Pick<SearchParts, 'scope' | 'readModel'>,
  request: ListRequest,
): Promise<Named[]> => listNamed(parts, request, { category: 'interest' }, interestName)

async function listNamed(
  { scope, readModel }: Pick<SearchParts, 'scope' | 'readModel'>,
  { filter, limit }: ListRequest,
  which: Pick<CategoryPage, 'category' | 'orEntityType'>,
  nameOf: (state: MemoryState) => string,
): Promise<Named[]> {
  checkLimit(limit)
  const page = { ...which, filter, order: 'IMPORTANCE' as const, limit: LOOKED_AT }
  const byName = new Map<string, Named>()
  for (const memory of await readOfCategory(scope, readModel.tables, page)) {
    const { state } = memory
    const name = nameOf(state)
    const known = byName.get(folded(name))
    byName.set(
      folded(name),
      known === undefined
        ? {
            name,
            summary: oneLine(safeLine(textOf(state)), SUMMARY),
            importance: state.importance,
            memory,
            memories: 1,
          }
        : { ...known, memories: known.memories + 1 },
    )
  }
  return [...byName.values()].slice(0, limit)
}

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
