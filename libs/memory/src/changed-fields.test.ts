import { describe, expect, it } from 'vitest'
import { changedFields } from './changed-fields.ts'
import { COMMON_FIELD_NAMES } from './common-fields.ts'
import type { MemoryState } from './state.ts'
import { noteState } from './testing/note-state.ts'

const STATE = noteState()

const OTHER: Partial<MemoryState> = {
  agent: 'claude',
  labels: ['a'],
  categories: ['a'],
  importance: 6,
  context: 'here',
  metadata: { a: 1 },
  occurredAt: '2026-05-01T12:00:00.000Z',
  expiresAt: '2026-05-01T12:00:00.000Z',
  supersedes: '01920000-0000-7000-8000-000000000002',
}

describe('the changed fields', () => {
  it('of a new memory are those that hold anything', () => {
    expect(changedFields(null, STATE)).toEqual(['content.text', 'importance'])
    expect(changedFields(null, { ...STATE, ...OTHER })).toEqual(['content.text', ...COMMON_FIELD_NAMES])
  })

  it.each(COMMON_FIELD_NAMES)('name %s when it differs, in both directions', (name) => {
    const other = { ...STATE, [name]: OTHER[name] }
    expect(changedFields(STATE, other)).toEqual([name])
    expect(changedFields(other, STATE)).toEqual([name])
  })

  it('name content that came, went or differs', () => {
    const before = { ...STATE, content: { same: 's', gone: 'g', other: 'o' } }
    const after = { ...STATE, content: { same: 's', other: 'p', came: 'c' } }
    expect(changedFields(before, after)).toEqual(['content.gone', 'content.other', 'content.came'])
  })

  it('name forgetting and remembering again', () => {
    const forgotten = { ...STATE, forgottenAt: '2026-05-01T12:00:00.000Z' }
    expect(changedFields(STATE, forgotten)).toEqual(['forgottenAt'])
    expect(changedFields(forgotten, STATE)).toEqual(['forgottenAt'])
  })

  it('leave out times that the journal sets, and the order of names that jsonb does not keep', () => {
    const before = { ...STATE, metadata: { a: 1, b: { c: 1, d: 2 } } }
    const after = { ...STATE, metadata: { b: { d: 2, c: 1 }, a: 1 }, createdAt: 'later', updatedAt: 'later' }
    expect(changedFields(before, after)).toEqual([])
  })

  it('mind the order of lists', () => {
    expect(changedFields({ ...STATE, labels: ['a', 'b'] }, { ...STATE, labels: ['b', 'a'] })).toEqual([
      'labels',
    ])
  })
})
