import { type Memory, textOf } from '@daybook/memory/state'
import type { SearchHit } from '../search-request.ts'
import { plainSnippet } from '../snippets.ts'
import {
  type ContextRole,
  cutText,
  type FittedText,
  fitText,
  type LeftOut,
  type LeftOutReason,
  type TokenCounter,
} from './context-request.ts'
import { type ComparedText, comparedText, repeats } from './near-identical.ts'
import type { Beside } from './read-beside.ts'

/** A memory that is in the context, in the form that fits. */
export interface ChosenEntry extends FittedText {
  role: ContextRole
  score: number | null
  readonly memory: Memory
}

/** What is in the context: groups of a hit and its neighbours, in the order in which they follow each other. */
export interface ChosenEntries {
  readonly groups: readonly (readonly ChosenEntry[])[]
  readonly leftOut: readonly LeftOut[]
}

/** An entry's heading alone takes so many tokens. With less room nothing more is tried. */
const LEAST_ENTRY = 25

/** The beginning of a text that is compared with others, in UTF-16 units. */
const COMPARED = 20_000

/**
 * Takes hits, best first, as long as they fit, each with the neighbours that it needs. A hit that does not fit
 * makes room for a shorter one after it. What says the same as an entry that is there already is left out.
 */
export async function chooseEntries(
  hits: readonly SearchHit[],
  beside: ReadonlyMap<string, Beside>,
  counter: TokenCounter,
  budget: number,
): Promise<ChosenEntries> {
  const byId = new Map<string, ChosenEntry>()
  const compared: ComparedText[] = []
  const groups: ChosenEntry[][] = []
  const leftOut: LeftOut[] = []
  let room = budget

  const isRepeated = (text: ComparedText) => compared.some((known) => repeats(text, known))
  const take = (entry: ChosenEntry, text: ComparedText): ChosenEntry => {
    byId.set(entry.memory.state.id, entry)
    // A passage is not all that the memory says: another one may say more.
    compared.push(entry.whole ? text : comparedText(entry.said))
    room -= entry.tokens
    return entry
  }
  const takeNeighbour = async (memory: Memory | null | undefined): Promise<ChosenEntry[]> => {
    if (memory == null || byId.has(memory.state.id) || room < LEAST_ENTRY) return []
    const said = textOf(memory.state)
    const text = comparedText(said.slice(0, COMPARED))
    const fitted = isRepeated(text) ? null : await fitText(counter, memory.state, said, [], room)
    return fitted === null ? [] : [take({ ...fitted, memory, role: 'NEIGHBOUR', score: null }, text)]
  }

  for (const { memory, score, passage, snippet } of hits) {
    const { state } = memory
    const known = byId.get(state.id)
    if (known !== undefined) {
      known.role = 'HIT'
      known.score = score
      continue
    }
    const leave = (reason: LeftOutReason) => leftOut.push({ memory, score, reason })
    if (room < LEAST_ENTRY && groups.length > 0) {
      leave('BUDGET')
      continue
    }
    const said = textOf(state)
    const text = comparedText(said.slice(0, COMPARED))
    if (isRepeated(text)) {
      leave('REPEATED')
      continue
    }
    const passages = [...(passage === undefined ? [] : [passage]), plainSnippet(snippet)]
    const fitted =
      (await fitText(counter, state, said, passages, room)) ??
      // The best hit is there in any case, if only its beginning.
      (groups.length === 0 ? await cutText(counter, state, passages[0] ?? said, room) : null)
    if (fitted === null) {
      leave('BUDGET')
      continue
    }
    const hit = take({ ...fitted, memory, role: 'HIT', score }, text)
    const { before, after } = beside.get(state.id) ?? {}
    groups.push([...(await takeNeighbour(before)), hit, ...(await takeNeighbour(after))])
  }
  return { groups, leftOut }
}
