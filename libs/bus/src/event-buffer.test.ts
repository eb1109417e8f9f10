import type { LinkedEvent } from '@daybook/memory/events'
import { describe, expect, it } from 'vitest'
import { createEventBuffer } from './event-buffer.ts'

const event = (sequence: number) => ({ sequence }) as LinkedEvent
const sequences = (events: readonly LinkedEvent[]) => events.map(({ sequence }) => sequence)

describe('the event buffer', () => {
  it('gives what follows on without a gap, whatever the order and however often it came', () => {
    const buffer = createEventBuffer()
    buffer.add([5, 3, 4, 3, 7, 2].map(event))
    expect(sequences(buffer.following(1, 10))).toEqual([2, 3, 4, 5])
    expect(sequences(buffer.following(1, 2))).toEqual([2, 3])
    expect(sequences(buffer.following(5, 10))).toEqual([])
    buffer.add([event(6)])
    expect(sequences(buffer.following(5, 10))).toEqual([6, 7])
  })

  it('forgets what is applied and takes no more than it has room for', () => {
    const buffer = createEventBuffer(2)
    buffer.add([1, 2, 3].map(event))
    expect(sequences(buffer.following(0, 10))).toEqual([1, 2])
    expect(sequences(buffer.following(2, 10))).toEqual([])
    buffer.add([3, 4].map(event))
    expect(sequences(buffer.following(2, 10))).toEqual([3, 4])
    expect(sequences(buffer.following(0, 10))).toEqual([])
  })

  it('knows of later events beyond a gap', () => {
    const buffer = createEventBuffer()
    buffer.add([1, 2, 4].map(event))
    expect([0, 2, 3, 4].map((sequence) => buffer.hasAfter(sequence))).toEqual([true, true, true, false])
    expect(createEventBuffer().hasAfter(0)).toBe(false)
  })
})
