import type { LinkedEvent } from '@daybook/memory/events'
import { describe, expect, it } from 'vitest'
import { createEventBuffer } from './event-buffer.ts'
import { hashAt } from './testing/events.ts'

const at = (sequence: number, history = '') => ({ sequence, hash: hashAt(sequence, history) })
const event = (sequence: number, history = '') =>
  ({ ...at(sequence, history), previousHash: hashAt(sequence - 1, history) }) as LinkedEvent
const sequences = (events: readonly LinkedEvent[]) => events.map(({ sequence }) => sequence)

describe('the event buffer', () => {
  it('gives what follows on without a gap, whatever the order and however often it came', () => {
    const buffer = createEventBuffer()
    buffer.add([5, 3, 4, 3, 7, 2].map((sequence) => event(sequence)))
    expect(sequences(buffer.following(at(1), 10))).toEqual([2, 3, 4, 5])
    expect(sequences(buffer.following(at(1), 2))).toEqual([2, 3])
    expect(sequences(buffer.following(at(5), 10))).toEqual([])
    buffer.add([event(6)])
    expect(sequences(buffer.following(at(5), 10))).toEqual([6, 7])
  })

  it('forgets what is applied and takes no more than it has room for', () => {
    const buffer = createEventBuffer(2)
    buffer.add([1, 2, 3].map((sequence) => event(sequence)))
    expect(sequences(buffer.following(at(0), 10))).toEqual([1, 2])
    expect(sequences(buffer.following(at(2), 10))).toEqual([])
    buffer.add([3, 4].map((sequence) => event(sequence)))
    expect(sequences(buffer.following(at(2), 10))).toEqual([3, 4])
    expect(sequences(buffer.following(at(0), 10))).toEqual([])
  })

  it('knows of later events beyond a gap', () => {
    const buffer = createEventBuffer()
    buffer.add([1, 2, 4].map((sequence) => event(sequence)))
    expect([0, 2, 3, 4].map((sequence) => buffer.hasAfter(sequence))).toEqual([true, true, true, false])
    expect(createEventBuffer().hasAfter(0)).toBe(false)
  })

  it('gives no event that is not linked to the place, and forgets it', () => {
    const buffer = createEventBuffer()
    buffer.add([3, 4].map((sequence) => event(sequence, 'lost')))
    expect(buffer.following(at(2), 10)).toEqual([])
    expect(sequences(buffer.following(at(3, 'lost'), 10))).toEqual([4])
    buffer.add([event(3), event(4, 'lost')])
    expect(sequences(buffer.following(at(2), 10))).toEqual([3])
    expect(buffer.hasAfter(3)).toBe(false)
  })
})
