import { hashData, hashEvent } from '@daybook/memory/event-hash'
import type { JournalCursor } from '@daybook/memory/events'
import { type ChainedEvent, isErased } from './chain-events.ts'

/** An event's place in its project's chain: what the next one is checked against. */
export type ChainCursor = JournalCursor

/**
 * What is wrong at a place of a journal:
 * - `missing`: there are no events from `sequence` to `through`
 * - `data-changed`: the event's data is not what its hash was made of. Where it was erased there is nothing to check: it counts as sound
 * - `row-changed`: something else about the event is not, or its data together with the data's hash
 * - `chain-broken`: it does not follow on the event before, at which something is wrong too; which of both was changed, or put
 *   in another's place, cannot be told
 * - `head-differs`: a noted end, the journal's own or one that the check began at, is not what is there
 */
export interface JournalProblem {
  readonly kind: 'missing' | 'data-changed' | 'row-changed' | 'chain-broken' | 'head-differs'
  readonly sequence: number
  /** The last missing one of several; else the same as `sequence`. */
  readonly through: number
  /** Null where there is no event. */
  readonly memoryId: string | null
  /** A sentence for people. */
  readonly message: string
}

/** Goes along a chain. */
export interface ChainCheck {
  /** What is wrong with the event, or before it. To be called with the events in their order. */
  next(event: ChainedEvent): JournalProblem[]
  /** Where it has come to. */
  place(): ChainCursor
}

/**
 * Checks a project's events against their hashes, each against the hash that the one before has. So one changed event is one
 * problem and not one with all that follow it. Of the event after a hole only the data can be checked.
 */
export function createChainCheck(start: ChainCursor): ChainCheck {
  let { sequence, hash } = start
  /** Whether the hash of the event before is known to be right. */
  let sound = true
  return {
    place: () => ({ sequence, hash }),
    next(event) {
      const problems: JournalProblem[] = []
      const hole = event.sequence !== sequence + 1
      if (hole) problems.push(missing(sequence + 1, event.sequence - 1))
      if (!hasItsData(event))
        problems.push(problemOf(event, 'data-changed', 'its data is not what its hash was made of'))
      const follows = isOf(event.hash, () => hashEvent(hash, event, event.dataHash))
      if (!hole && !follows) problems.push(sound ? rowChanged(event) : chainBroken(event))
      sound = !hole && follows
      sequence = event.sequence
      hash = event.hash
      return problems
    },
  }
}

/** An erased event needs none; one whose salt alone is gone was not erased by us. */
function hasItsData(event: ChainedEvent): boolean {
  const { data, dataSalt, dataHash } = event
  if (dataSalt === null) return isErased(event)
  return isOf(dataHash, () => hashData(dataSalt, data))
}

/** Data that has no canonical form was never hashed by us. */
function isOf(stored: string, compute: () => string): boolean {
  try {
    return compute() === stored
  } catch {
    return false
  }
}

const problemOf = (
  { sequence, memoryId }: ChainedEvent,
  kind: JournalProblem['kind'],
  what: string,
): JournalProblem => ({ kind, sequence, through: sequence, memoryId, message: `event ${sequence}: ${what}` })

const rowChanged = (event: ChainedEvent) =>
  problemOf(event, 'row-changed', 'what is stored about it is not what its hash was made of')

const chainBroken = (event: ChainedEvent) =>
  problemOf(event, 'chain-broken', 'it does not follow on the event before, whose hash is not sound either')

export function missing(from: number, through: number): JournalProblem {
  const which = from === through ? `event ${from} is` : `the events ${from} to ${through} are`
  return { kind: 'missing', sequence: from, through, memoryId: null, message: `${which} missing` }
}

export function headDiffers(sequence: number, message: string): JournalProblem {
  return { kind: 'head-differs', sequence, through: sequence, memoryId: null, message }
}
