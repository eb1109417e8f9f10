import { contentHash } from '@daybook/embeddings/store'
import type { JournalEvent } from '@daybook/memory/events'
import { lexicalText } from '@daybook/memory/lexical-text'
import { embeddedTextOf, keyOf, type MemoryState } from '@daybook/memory/state'

/** A row of the table `memories`, with its column names and JSON's types. */
export interface MemoryRow {
  readonly memory_id: string
  readonly number: number
  readonly kind: string
  readonly version: number
  readonly sequence: number
  readonly first_sequence: number
  readonly state: MemoryState
  readonly exact_key: string | null
  readonly context: string | null
  readonly agent: string | null
  readonly labels: readonly string[]
  readonly categories: readonly string[]
  readonly importance: number
  readonly created_at: string
  readonly occurred_at: string | null
  readonly expires_at: string | null
  readonly forgotten: boolean
  readonly lexical_text: string
  /** Hexadecimal. */
  readonly content_hash: string
}

/**
 * The row of a memory after `event`. `number` and `firstSequence` are those of the memory's first row, if it
 * has one.
 */
export function memoryRow(event: JournalEvent, place: { number: number; firstSequence: number }): MemoryRow {
  const { state } = event.data
  return {
    memory_id: event.memoryId,
    number: place.number,
    kind: state.kind,
    version: event.version,
    sequence: event.sequence,
    first_sequence: place.firstSequence,
    state,
    exact_key: keyOf(state),
    context: state.context,
    agent: state.agent,
    labels: state.labels,
    categories: state.categories,
    importance: state.importance,
    created_at: state.createdAt,
    occurred_at: state.occurredAt,
    expires_at: state.expiresAt,
    forgotten: state.forgottenAt !== null,
    lexical_text: lexicalText(state),
    content_hash: contentHash(embeddedTextOf(state)).toString('hex'),
  }
}
