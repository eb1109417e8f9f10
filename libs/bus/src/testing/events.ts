import type { JournalEvent } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'

/** The first event of a new note, as the journal would give it. */
export function noteEvent(projectId: string, sequence: number, text = `note ${sequence}`): JournalEvent {
  const memoryId = newId()
  const at = '2026-01-02T03:04:05.678Z'
  return {
    projectId,
    sequence,
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
      state: {
        id: memoryId,
        kind: 'note',
        content: { text },
        agent: null,
        labels: [],
        categories: [],
        importance: 5,
        context: null,
        metadata: {},
        occurredAt: null,
        expiresAt: null,
        createdAt: at,
        updatedAt: at,
        forgottenAt: null,
      },
    },
  }
}

/** A run of events of one project, from sequence `from` to `to`, both included. */
export function noteEvents(projectId: string, from: number, to: number): JournalEvent[] {
  return Array.from({ length: to - from + 1 }, (_, index) => noteEvent(projectId, from + index))
}
