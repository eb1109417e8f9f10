import { createHash } from 'node:crypto'
import { CHAIN_START } from '@daybook/memory/event-hash'
import type { LinkedEvent } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import { noteState } from '@daybook/memory/testing/note-state'

/** A hash for a place, always the same; `history` gives the hash of another history. */
export function hashAt(sequence: number, history = ''): string {
  return sequence === 0 ? CHAIN_START : createHash('sha256').update(`${sequence} ${history}`).digest('hex')
}

/**
 * The first event of a new note, as the journal would give it, linked to the one made for the sequence
 * before.
 */
export function noteEvent(projectId: string, sequence: number, text = `note ${sequence}`): LinkedEvent {
  const memoryId = newId()
  const at = '2026-01-02T03:04:05.678Z'
  return {
    projectId,
    sequence,
    hash: hashAt(sequence),
    previousHash: hashAt(sequence - 1),
    eventId: newId(),
    memoryId,
    version: 1,
    type: 'MemoryRemembered',
    recordedAt: at,
    actor: null,
    correlationId: null,
    causationId: null,
    traceparent: null,
    data: {
      changed: ['content.text'],
      state: noteState({ id: memoryId, content: { text }, createdAt: at, updatedAt: at }),
    },
  }
}

/** Consecutive events of one project, from sequence `from` through `to`. */
export function noteEvents(projectId: string, from: number, to: number): LinkedEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => noteEvent(projectId, from + index))
}
