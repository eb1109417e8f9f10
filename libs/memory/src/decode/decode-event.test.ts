import { expect, it } from 'vitest'
import { ValidationError } from '../errors.ts'
import { noteState } from '../testing/note-state.ts'
import { decodeEvent } from './decode-event.ts'

const { id } = noteState()
const KEY = '01920000-0000-7000-8000-00000000000a'
const decode = (state: unknown, more: object = {}) =>
  decodeEvent('MemoryRemembered', id, { state, changed: [], ...more })
const fieldOf = (state: unknown, more: object = {}): string => {
  try {
    decode(state, more)
  } catch (error) {
    if (error instanceof ValidationError) return error.field
    throw error
  }
  return 'taken'
}

it('an event is taken as it is, with fields that a newer Daybook may have written', () => {
  const data = {
    state: {
      ...noteState({ writtenBy: { key: KEY, agent: 'a' }, content: { text: 'a', mood: ['new'] } }),
      later: 1,
    },
    changed: ['content.text'],
    writer: { key: KEY, client: 'c' },
    undoneTo: 0,
    later: true,
  }
  expect(decodeEvent('MemoryForgotten', id, data)).toEqual({ type: 'MemoryForgotten', data })
})

it('a state as it was written before later fields is taken', () => {
  // Spelled out, and never given a later field: so are those in journals.
  const state = {
    id,
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
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    forgottenAt: null,
  }
  expect(decode(state).data.state).toEqual(state)
})

it('an id in upper case, which was taken by mistake once, is read in lower case', () => {
  expect(decode(noteState({ id: id.toUpperCase() })).data.state).toEqual(noteState())
  expect(fieldOf(noteState({ id: KEY }))).toBe('data.state.id')
})

it.each([
  ['agent', 5],
  ['labels', null],
  ['labels', ['a', 5]],
  ['categories', null],
  ['categories', 'one'],
  ['importance', 5.5],
  ['importance', 11],
  ['context', { a: 1 }],
  ['metadata', []],
  ['occurredAt', 'yesterday'],
  ['occurredAt', '2026-02-31T00:00:00.000Z'],
  ['expiresAt', '0000-01-01T00:00:00.000Z'],
  ['supersedes', 'another one'],
  ['createdAt', null],
  ['updatedAt', 1],
  ['forgottenAt', true],
  ['content', null],
  ['content', []],
  ['content', {}],
  ['content', { text: ['a'] }],
  ['kind', 'poem'],
  ['kind', 'constructor'],
  ['writtenBy', 5],
  ['writtenBy', { key: 'no UUID' }],
  ['editedBy', { key: KEY, agent: 5 }],
  ['part', { document: id, number: 2 }],
] as const)('refuses a state whose %s is %j, with the name of the field', (name, value) => {
  expect(fieldOf({ ...noteState(), [name]: value })).toMatch(new RegExp(`^data\\.state\\.${name}`, 'u'))
})

it('refuses a document with so many parts that nobody could read them', () => {
  const state = noteState({ kind: 'document', content: { content: 'c' } })
  expect(fieldOf({ ...state, part: { document: id, number: 1, of: 75 } })).toBe('taken')
  expect(fieldOf({ ...state, part: { document: id, number: 1, of: 2 ** 31 } })).toBe('data.state.part.of')
})

it.each([
  [{ changed: 'content' }, 'data.changed'],
  [{ changed: [5] }, 'data.changed.0'],
  [{ undoneTo: -1 }, 'data.undoneTo'],
  [{ restoredVersion: '1' }, 'data.restoredVersion'],
  [{ writer: 'me' }, 'data.writer'],
])('refuses data with %j', (more, field) => {
  expect(fieldOf(noteState(), more)).toBe(field)
})
