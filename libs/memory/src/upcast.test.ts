import { describe, expect, it } from 'vitest'
import { EVENT_TYPES, SCHEMA_VERSION } from './events.ts'
import { noteState } from './testing/note-state.ts'
import { upcast } from './upcast.ts'

const data = { state: noteState(), changed: [] }
const stored = { memoryId: data.state.id, type: 'MemoryRevised', schemaVersion: SCHEMA_VERSION, data }

const step = (from: number, mark: string) => ({
  type: 'MemoryRevised' as const,
  from,
  up: (old: unknown) => ({ ...(old as object), [mark]: true }),
})

describe('upcasting', () => {
  it.each(EVENT_TYPES)('leaves a %s of today as it is', (type) => {
    expect(upcast({ ...stored, type })).toEqual({ type, data })
  })

  it('takes an old payload through every step in between, each meant for its type', () => {
    const other = { type: 'MemoryForgotten' as const, from: 1, up: () => 'the wrong type' }
    const upcasters = [other, step(2, 'second'), step(1, 'first')]
    expect(upcast({ ...stored, schemaVersion: 1 }, upcasters, 3).data).toEqual({
      ...data,
      first: true,
      second: true,
    })
    expect(upcast({ ...stored, schemaVersion: 2 }, upcasters, 3).data).toEqual({ ...data, second: true })
    expect(upcast({ ...stored, schemaVersion: 3 }, upcasters, 3).data).toEqual(data)
  })

  it.each([
    ['an unknown type', { ...stored, type: 'MemoryDreamt' }, /"MemoryDreamt" is not known/],
    [
      'a newer schema version',
      { ...stored, schemaVersion: SCHEMA_VERSION + 1 },
      /cannot be read; this Daybook reads up to/,
    ],
    ['a schema version before the first', { ...stored, schemaVersion: 0 }, /schema version 0/],
    ['no data', { ...stored, data: null }, /data/],
    ['data of another sort', { ...stored, data: 'text' }, /data/],
    ['no state', { ...stored, data: { changed: [] } }, /data\.state/],
    [
      'a state without content',
      { ...stored, data: { ...data, state: { ...data.state, content: undefined } } },
      /data\.state\.content must be an object/,
    ],
    [
      'a kind of a newer Daybook',
      { ...stored, data: { ...data, state: { ...data.state, kind: 'poem' } } },
      /data\.state\.kind must be a kind that this Daybook knows/,
    ],
  ])('refuses %s as an event that it cannot read', (_, payload, message) => {
    expect(() => upcast(payload)).toThrow(expect.objectContaining({ code: 'CORRUPT_EVENT' }))
    expect(() => upcast(payload)).toThrow(message)
  })
})
