import { type EventFacts, hashData, hashEvent } from '@daybook/memory/event-hash'
import type { JournalCursor } from '@daybook/memory/events'

/** An event's place in its project's chain; the next event is checked against it. */
export type ChainCursor = JournalCursor

/**
 * What is wrong at a place of a journal:
 * - `missing`: there are no events from `sequence` to `through`
 * - `data-changed`: the event's data does not match its hash. Erased data cannot be checked and counts as
 *   sound
 * - `row-changed`: another part of the event does not match its hash, or its data and the data's hash were
 *   both changed
 * - `chain-broken`: the event does not follow the one before it, which is wrong too. It cannot be told which
 *   of them was changed or moved
 * - `head-differs`: a noted end (the journal's own, or the one that the check began at) does not match the
 *   event there
 */
export interface JournalProblem {
  readonly kind: 'missing' | 'data-changed' | 'row-changed' | 'chain-broken' | 'head-differs'
  readonly sequence: number
  /** The last sequence of a gap; else the same as `sequence`. */
  readonly through: number
  /** Null if there is no event. */
  readonly memoryId: string | null
  /** A sentence for people. */
  readonly message: string
}

/** Checks the events of a chain one after another. */
interface ChainCheck {
  /** Returns what is wrong with the event, or just before it. Call it with the events in their order. */
  next(event: ChainedEvent): JournalProblem[]
  /** The last event checked. */
  place(): ChainCursor
}

/**
 * Checks a project's events against their hashes, and each against the stored hash of the one before. So one
 * changed event is one problem, not one for every event after it. For the event after a gap, only the data
 * can be checked.
 */
export function createChainCheck(start: ChainCursor): ChainCheck {
  let { sequence, hash } = start
  /** Whether the hash of the event before matched. */
  let sound = true
  return {
    place: () => ({ sequence, hash }),
    next(event) {
      const problems: JournalProblem[] = []
      const hole = event.sequence !== sequence + 1
      if (hole) problems.push(missing(sequence + 1, event.sequence - 1))
      if (!hasItsData(event))
        problems.push(problemOf(event, 'data-changed', 'its data does not match its hash'))
      const follows =
        isOf(event.hash, () => hashEvent(hash, event, event.dataHash)) || isOfSentId(hash, event)
      if (!hole && !follows) problems.push(sound ? rowChanged(event) : chainBroken(event))
      sound = !hole && follows
      sequence = event.sequence
      hash = event.hash
      return problems
    },
  }
}

/** An erased event has no data to check. If only the salt is missing, Daybook did not erase it. */
function hasItsData(event: ChainedEvent): boolean {
  const { data, dataSalt, dataHash } = event
  if (dataSalt === null) return isErased(event)
  return isOf(dataHash, () => hashData(dataSalt, data))
}

/**
 * Whether the event's hash was made with its memory's id in the letters in which a follower sent it. Until ids were decoded
 * (`@daybook/memory/decode`) one in upper case was hashed so, and stored as the database has it. It is the same id, which the
 * data proves; so nothing was changed, and nothing need be repaired. Erased data proves nothing any more: there only upper case is tried.
 */
function isOfSentId(previous: string, event: ChainedEvent): boolean {
  const sent = isErased(event) ? event.memoryId.toUpperCase() : idIn(event.data)
  if (sent === event.memoryId || sent.toLowerCase() !== event.memoryId) return false
  return isOf(event.hash, () => hashEvent(previous, { ...event, memoryId: sent }, event.dataHash))
}

const idIn = (data: unknown): string => String((data as { state?: { id?: unknown } } | null)?.state?.id ?? '')

/** False also for data without canonical form: Daybook never hashed such data. */
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
  problemOf(event, 'row-changed', 'what is stored about it does not match its hash')

const chainBroken = (event: ChainedEvent) =>
  problemOf(event, 'chain-broken', 'it does not follow the event before, whose hash is not sound either')

/** The problem of missing events, from and through inclusive. */
export function missing(from: number, through: number): JournalProblem {
  const which = from === through ? `event ${from} is` : `the events ${from} to ${through} are`
  return { kind: 'missing', sequence: from, through, memoryId: null, message: `${which} missing` }
}

/** The problem of an end that does not match; `message` says which. */
export function headDiffers(sequence: number, message: string): JournalProblem {
  return { kind: 'head-differs', sequence, through: sequence, memoryId: null, message }
}

/**
 * The caller is at a place that the journal does not have: no event has that sequence, or another event has
 * it now. The journal lost its end and continued with other events (a failover to a replica that was behind,
 * a restored backup). Waiting does not help: go back to the last place that both have.
 */
export class JournalDiverged extends Error {
  readonly place: JournalCursor

  constructor(place: JournalCursor) {
    super(`the journal has no event ${place.sequence} with the hash ${place.hash}`)
    this.name = 'JournalDiverged'
    this.place = place
  }
}

/**
 * An event as stored, with its data's hash and its link in the project's hash chain. An erased event has null
 * for both data and salt, and keeps its hashes (`isErased`).
 */
export interface ChainedEvent extends EventFacts {
  readonly data: unknown
  /** In hex. */
  readonly dataSalt: string | null
  readonly traceparent?: string | null
  readonly dataHash: string
  readonly hash: string
}

/** An event with its salt, before its hashes are computed. */
export type UnchainedEvent = Omit<ChainedEvent, 'dataHash' | 'hash' | 'dataSalt'> & {
  readonly dataSalt: string
}

/** Whether the event's data was erased. */
export const isErased = ({ data, dataSalt }: Pick<ChainedEvent, 'data' | 'dataSalt'>): boolean =>
  data === null && dataSalt === null

/** Computes the hashes of consecutive events. `previous` is the hash of the event before them. */
export function chainEvents(previous: string, events: readonly UnchainedEvent[]): ChainedEvent[] {
  let hash = previous
  return events.map((event) => {
    const dataHash = hashData(event.dataSalt, event.data)
    hash = hashEvent(hash, event, dataHash)
    return { ...event, dataHash, hash }
  })
}
