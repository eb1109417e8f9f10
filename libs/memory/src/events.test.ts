import { expect, test } from 'vitest'
import type { EventPayload, StateAfter } from './events.ts'

function restoredVersionOf(event: EventPayload): number | undefined {
  switch (event.type) {
    case 'MemoryRestored':
      return event.data.restoredVersion
    case 'MemoryRevised':
      // @ts-expect-error Types are checked with the tests: only what was restored has an earlier version.
      return event.data.restoredVersion
    default:
      return undefined
  }
}

test('the type of an event tells which data it has', () => {
  const data = { state: {}, changed: [], restoredVersion: 2 } as unknown as StateAfter
  expect(restoredVersionOf({ type: 'MemoryRestored', data })).toBe(2)
  expect(restoredVersionOf({ type: 'MemoryForgotten', data })).toBeUndefined()
})
