import { contentHash } from '@daybook/memory/content-hash'
import type { JournalEvent } from '@daybook/memory/events'
import { lexicalText } from '@daybook/memory/lexical-text'
import { embeddedTextOf, keyOf } from '@daybook/memory/state'
import { sql } from 'kysely'

/** A row of the table `memories`, with its column names and JSON's types. The hash is hexadecimal. */
export type MemoryRow = ReturnType<typeof memoryRow>

/**
 * The row of a memory after `event`. `number` and `firstSequence` are those of the memory's first row, if it
 * has one.
 */
export function memoryRow(event: JournalEvent, place: { number: number; firstSequence: number }) {
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

/** The rows as the relation `given`. */
export const relationOf = (rows: readonly MemoryRow[]) => sql`
  jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(memory_id uuid, number int, kind text, version int,
    sequence bigint, first_sequence bigint, state jsonb, exact_key text, context text, agent text, labels jsonb,
    categories jsonb, importance int, created_at timestamptz, occurred_at timestamptz, expires_at timestamptz,
    forgotten boolean, lexical_text text, content_hash text)`
