import type { MemoryState } from '../state.ts'

const AT = '2026-05-01T12:00:00.000Z'

/** The state of a note with a text. Every other field has its default. */
export function noteState(more: Partial<MemoryState> = {}): MemoryState {
  return {
    id: '01920000-0000-7000-8000-000000000001',
    kind: 'note',
    content: { text: 'a' },
    agent: null,
    labels: [],
    categories: [],
    importance: 5,
    context: null,
    metadata: {},
    occurredAt: null,
    expiresAt: null,
    createdAt: AT,
    updatedAt: AT,
    forgottenAt: null,
    ...more,
  }
}
