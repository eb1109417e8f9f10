import type { MemoryFilter } from '@daybook/memory/filter'
import { folded } from '@daybook/memory/folded'
import { interestName, personName } from '@daybook/memory/name-lines'
import { safeLine } from '@daybook/memory/safe-text'
import { type Memory, type MemoryState, textOf } from '@daybook/memory/state'
import { oneLine } from '@daybook/memory/text-rules'
import { type CategoryPage, readOfCategory } from '@daybook/pgvector/read/read-of-category'
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
