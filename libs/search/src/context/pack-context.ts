import { entryText } from '@daybook/memory/entry-text'
import { ValidationError } from '@daybook/memory/errors'
import { memoryIdOf } from '@daybook/memory/state'
import { grouped } from '@daybook/memory/text-rules'
import { LIMIT_MAX } from '../check-request.ts'
import { search } from '../search.ts'
import type { SearchParts } from '../search-parts.ts'
import { type ChosenEntry, chooseEntries } from './choose-entries.ts'
import {
  type ContextEntry,
  type ContextOrder,
  type ContextRequest,
  createTokenCounter,
  type LeftOut,
  type PackedContext,
} from './context-request.ts'
import { readBeside } from './read-beside.ts'

/** The most tokens that a context may be asked for. */
const BUDGET_MAX = 100_000

/** Fewer tokens than an entry of a short memory takes. It decides how many hits could fit. */
const SHORT_ENTRY = 20

/** @throws ValidationError */
function checkBudget(tokens: number): number {
  if (!Number.isInteger(tokens) || tokens < 1 || tokens > BUDGET_MAX)
    throw new ValidationError('tokenBudget', `must be a whole number from 1 to ${grouped(BUDGET_MAX)}`)
  return tokens
}

/**
 * Packs the best hits of a search into one text for a prompt, within a budget of tokens. Texts that say nearly the
 * same appear once. A long memory appears as its best passage, if it would take more than half of the room. A
 * hit brings the neighbour without which it is hard to understand, such as the question that it answers.
 *
 * What memories say is data: each entry begins with a heading in the first column, which names the memory's id,
 * and every line of a memory is set in (`entry-text.ts`).
 *
 * Tokens are counted with the tokenizer of the index's model. `countedBy` is null if they are estimates.
 *
 * @throws ValidationError for an empty query, or a budget or score out of range
 */
export async function packContext(parts: SearchParts, request: ContextRequest): Promise<PackedContext> {
  const budget = checkBudget(request.tokenBudget)
  const { query, filter, minScore, atLeast = 0 } = request
  const limit = Math.min(Math.max(10, Math.ceil(budget / SHORT_ENTRY)), LIMIT_MAX)
  const { hits, engine, degraded, message, sequence } = await search(parts, {
    query,
    filter,
    mode: 'HYBRID',
    limit,
    ...(minScore !== undefined && { minScore }),
    atLeast,
  })
  const counter = await createTokenCounter(parts)
  const { groups, leftOut } = await chooseEntries(
    hits,
    await readBeside(parts, filter, hits),
    counter,
    budget,
  )

  const dropped: LeftOut[] = []
  let kept = groups
  let [text, tokens] = ['', 0]
  for (;;) {
    text = entriesOf(kept, request.order)
      .map(({ text: one }) => one)
      .join('\n')
    tokens = text === '' ? 0 : await counter.count(text)
    if (tokens <= budget) break
    // A tokenizer may count a text higher than its parts.
    for (const { role, memory, score } of kept.at(-1) ?? [])
      if (role === 'HIT') dropped.unshift({ memory, score: score ?? 0, reason: 'BUDGET' })
    kept = kept.slice(0, -1)
  }
  const entries = entriesOf(kept, request.order)
  const tooSmall = `The budget of ${grouped(budget)} tokens is too small for any of the ${hits.length} hits.`
  return {
    text,
    tokens,
    tokenBudget: budget,
    countedBy: counter.countedBy(),
    entries,
    leftOut: [...dropped, ...leftOut].toSorted((a, b) => b.score - a.score),
    engine,
    degraded,
    message: hits.length > 0 && entries.length === 0 ? tooSmall : message,
    sequence,
  }
}

function entriesOf(groups: readonly (readonly ChosenEntry[])[], order: ContextOrder): ContextEntry[] {
  const chosen = order === 'TIME' ? groups.flat().toSorted(byTime) : groups.flat()
  return chosen.map(({ memory, role, score, said, tokens, whole }, index) => {
    const number = index + 1
    const text = entryText(number, { ...memory.state, id: memoryIdOf(memory.state) }, said)
    return { number, role, memory, score, text, tokens, whole }
  })
}

/** By the moment when it happened; memories of one moment by their ids, which sort by time. */
function byTime({ memory: { state: a } }: ChosenEntry, { memory: { state: b } }: ChosenEntry): number {
  const [atA, atB] = [a.occurredAt ?? a.createdAt, b.occurredAt ?? b.createdAt]
  if (atA !== atB) return atA < atB ? -1 : 1
  return a.id < b.id ? -1 : 1
}
