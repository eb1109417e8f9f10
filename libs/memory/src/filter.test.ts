import { describe, expect, it } from 'vitest'
import { checkFilter, type MemoryFilter, matchesFilter, narrows } from './filter.ts'
import { noteState } from './testing/note-state.ts'

const STATE = noteState({
  agent: 'claude',
  labels: ['a', 'b'],
  categories: ['c'],
  context: 'here',
  occurredAt: '2026-05-01T12:00:00.000Z',
  createdAt: '2026-05-02T12:00:00.000Z',
  updatedAt: '2026-05-02T12:00:00.000Z',
})

describe('a filter', () => {
  it.each<[MemoryFilter, boolean]>([
    [{}, true],
    [{ kinds: ['todo', 'note'] }, true],
    [{ kinds: ['todo'] }, false],
    [{ kinds: [] }, false],
    [{ labelsAny: ['b', 'x'] }, true],
    [{ labelsAny: ['x'] }, false],
    [{ labelsAny: [] }, false],
    [{ labelsAll: ['a', 'b'] }, true],
    [{ labelsAll: ['a', 'x'] }, false],
    [{ labelsAll: [] }, true],
    [{ categories: ['x', 'c'] }, true],
    [{ categories: ['a'] }, false],
    [{ minImportance: 5 }, true],
    [{ minImportance: 6 }, false],
    [{ context: 'here' }, true],
    [{ context: 'Here' }, false],
    [{ agent: 'claude' }, true],
    [{ agent: 'other' }, false],
    [{ createdAfter: '2026-05-02T12:00:00.000Z' }, true],
    [{ createdAfter: '2026-05-02T12:00:00.001Z' }, false],
    [{ createdBefore: '2026-05-02T12:00:00.001Z' }, true],
    [{ createdBefore: '2026-05-02T12:00:00.000Z' }, false],
    [{ occurredAfter: '2026-05-01T14:00:00+02:00' }, true],
    [{ occurredBefore: '2026-05-01T12:00:00Z' }, false],
    [{ kinds: ['note'], agent: 'other' }, false],
    [{ includeForgotten: false }, true],
  ])('%j means the memory: %s', (filter, meant) => {
    expect(matchesFilter(STATE, filter)).toBe(meant)
  })

  it('by when it occurred leaves out what has no such time', () => {
    const state = { ...STATE, occurredAt: null }
    expect(matchesFilter(state, { occurredAfter: '0001-01-01T00:00:00Z' })).toBe(false)
    expect(matchesFilter(state, { occurredBefore: '9999-01-01T00:00:00Z' })).toBe(false)
  })
})

describe('a filter as given', () => {
  it('takes an empty list for absent', () => {
    expect(checkFilter({ kinds: [], labelsAny: [], labelsAll: [], categories: [] })).toEqual({})
  })

  it.each<[MemoryFilter, boolean]>([
    [{}, false],
    [{ includeForgotten: true }, false],
    [{ labelsAll: [] }, false],
    [{ minImportance: 0 }, false],
    [{ minTrust: 'low' }, false],
    [{ minTrust: 'normal' }, true],
    [{ minImportance: 1 }, true],
    [{ labelsAll: ['a'] }, true],
    [{ kinds: ['note'] }, true],
  ])('%j leaves something out: %s', (filter, does) => {
    expect(narrows(filter)).toBe(does)
  })

  it('takes null for absent and moments in any spelling', () => {
    expect(checkFilter(null)).toEqual({})
    expect(checkFilter(undefined)).toEqual({})
    expect(checkFilter({ kinds: ['note'], agent: null, createdAfter: '2026-05-01T14:00:00+02:00' })).toEqual({
      kinds: ['note'],
      createdAfter: '2026-05-01T12:00:00.000Z',
    })
  })

  it('is checked as the field itself is, whose value it must be', () => {
    const refusal = (given: object) => {
      try {
        return checkFilter(given)
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(refusal({ context: 'é'.repeat(255) })).toEqual({ context: 'é'.repeat(255) })
    expect(refusal({ context: 'é'.repeat(300) })).toMatch(
      /filter\.context is too long: the limit is 255 characters, and it has 300/u,
    )
    expect(refusal({ agent: ' ' })).toMatch(/filter\.agent must not be blank/u)
  })

  it.each([
    ['kinds', 'note', 'filter.kinds'],
    ['kinds', ['poem'], 'filter.kinds.0'],
    ['labelsAny', 'a', 'filter.labelsAny'],
    ['labelsAll', ['a', '\u0000'], 'filter.labelsAll.1'],
    ['categories', [1], 'filter.categories.0'],
    ['minImportance', '5', 'filter.minImportance'],
    ['minImportance', Number.NaN, 'filter.minImportance'],
    ['context', 'a\uD800', 'filter.context'],
    ['agent', 5, 'filter.agent'],
    ['createdAfter', 'yesterday', 'filter.createdAfter'],
    ['occurredBefore', '2026-05-01', 'filter.occurredBefore'],
    ['includeForgotten', 'yes', 'filter.includeForgotten'],
    ['colour', 'red', 'filter.colour'],
    ['constructor', 'x', 'filter.constructor'],
  ])('%s = %j is refused by name', (name, value, field) => {
    expect(() => checkFilter({ [name]: value })).toThrow(
      expect.objectContaining({ code: 'VALIDATION', field }),
    )
  })
})
