import { EVENT_TYPES, type LinkedEvent } from '@daybook/memory/events'
import { KIND_NAMES, type KindName, kindNamed } from '@daybook/memory/kinds/index'
import { anyCharacter } from '@daybook/memory/testing/any-character'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noteEvent } from '../testing/events.ts'
import { decodeNews, encodePlace, subjectOf } from './cloud-event.ts'

const text = fc.string({ unit: anyCharacter })
const cause = fc.option(text)
const sequence = fc.oneof(
  fc.integer({ min: 1, max: 9 }),
  fc.maxSafeNat().map((number) => Math.max(1, number)),
)

/** What a kind's content must have. Beside it an event may have fields of a newer Daybook. */
const required = (kind: KindName) =>
  Object.fromEntries(
    Object.entries(kindNamed(kind).fields).map(([name, { shape }]) => [
      name,
      shape === 'strings'
        ? ['a']
        : shape === 'moment'
          ? '2026-01-02T03:04:05.678Z'
          : shape === 'string'
            ? 'a'
            : shape[0],
    ]),
  )

/** Any event that today's Daybook could have written. */
const anyEvent: fc.Arbitrary<LinkedEvent> = fc
  .record({
    sequence,
    projectId: fc.uuid(),
    memoryId: fc.uuid(),
    eventId: fc.uuid(),
    version: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
    type: fc.constantFrom(...EVENT_TYPES),
    kind: fc.constantFrom(...KIND_NAMES),
    content: fc.dictionary(text, fc.jsonValue()),
    changed: fc.array(text),
    restored: fc.option(fc.integer({ min: 1, max: 2 ** 31 - 1 })),
    actor: cause,
    correlationId: cause,
    causationId: cause,
    traceparent: cause,
  })
  .map(({ kind, content, changed, restored, ...given }) => {
    const event = noteEvent(given.projectId, given.sequence)
    const fields = { ...(content as typeof event.data.state.content), ...required(kind) }
    const state = { ...event.data.state, id: given.memoryId, kind, content: fields }
    const data = { state, changed, ...(restored !== null && { restoredVersion: restored }) }
    // Events travel as JSON, which has neither -0 nor prototypes: the journal's column changes data in the
    // same way.
    return { ...event, ...given, data: JSON.parse(JSON.stringify(data)) }
  })

const placeOf = (place: Omit<LinkedEvent, 'data' | 'type'>) => ({
  projectId: place.projectId,
  sequence: place.sequence,
  hash: place.hash,
})

describe('an event as a message', () => {
  it('is the same event when it is read', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const { news, problem } = decodeNews(encodePlace(event, Number.MAX_SAFE_INTEGER))
        expect(problem).toBeNull()
        expect(news).toEqual({ ...placeOf(event), events: [event] })
      }),
    )
  })

  it('is news without its event where the message would be too large', () => {
    fc.assert(
      fc.property(anyEvent, fc.nat(4_000), (event, maxBytes) => {
        const whole = encodePlace(event, Number.MAX_SAFE_INTEGER)
        const { news, problem } = decodeNews(encodePlace(event, maxBytes))
        const events = whole.byteLength <= maxBytes ? [event] : []
        expect(problem).toBeNull()
        expect(news).toEqual({ ...placeOf(event), events })
      }),
    )
  })

  it('is CloudEvents 1.0: required attributes, names of a-z and 0-9, no null, a sequence that sorts', () => {
    const event = { ...noteEvent('3f0e6c2a-0000-7000-8000-000000000000', 42), actor: 'claude' }
    const message = JSON.parse(new TextDecoder().decode(encodePlace(event, 10_000)))
    expect(message).toEqual({
      specversion: '1.0',
      id: event.eventId,
      source: `/projects/${event.projectId}`,
      type: 'daybook.MemoryRemembered',
      subject: event.memoryId,
      time: event.recordedAt,
      datacontenttype: 'application/json',
      project: event.projectId,
      sequence: '0000000000000042',
      hash: event.hash,
      previoushash: event.previousHash,
      memoryversion: 1,
      schemaversion: 1,
      actor: 'claude',
      data: event.data,
    })
    expect(subjectOf('daybook', event)).toBe(`daybook.${event.projectId}.note.${event.memoryId}`)
  })

  it('is news of its place where this version cannot read it, or it was erased', () => {
    const { data: _, ...envelope } = noteEvent('3f0e6c2a-0000-7000-8000-000000000000', 42)
    const place = { ...envelope, type: 'MemoryDreamt' }
    const bytes = encodePlace(place, 10_000)
    expect(JSON.parse(new TextDecoder().decode(bytes))).toMatchObject({
      type: 'daybook.MemoryDreamt',
      sequence: '0000000000000042',
      hash: place.hash,
      previoushash: place.previousHash,
      dataref: `/projects/${place.projectId}/journal/42`,
    })
    expect(decodeNews(bytes)).toEqual({ news: { ...placeOf(place), events: [] }, problem: null })
    expect(subjectOf('daybook', place)).toBe(`daybook.${place.projectId}.unknown.${place.memoryId}`)
  })

  it('never throws at what it reads, and tells a problem where it has no event', () => {
    const valid = JSON.parse(new TextDecoder().decode(encodePlace(noteEvent('p', 1), 10_000)))
    const damaged = fc
      .tuple(fc.subarray(Object.keys(valid), { minLength: 1 }), fc.jsonValue())
      .map(([names, value]) => ({ ...valid, ...Object.fromEntries(names.map((name) => [name, value])) }))
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      damaged.map((message) => JSON.stringify(message)),
    )
    fc.assert(
      fc.property(anything, (message) => {
        const { news, problem } = decodeNews(Buffer.from(message))
        expect(news?.events.length === 1 || problem !== null).toBe(true)
      }),
    )
  })
})
