import { describe, expect, it } from 'vitest'
import { KIND_NAMES, kindNamed } from '../kinds/index.ts'
import { noteState } from '../testing/note-state.ts'
import {
  countsAsExisting,
  identityKey,
  identityKeyOf,
  identityKeyOfInput,
  onExisting,
} from './on-existing.ts'

const NOW = '2026-06-01T00:00:00.000Z'
const insight = (more: object = {}) =>
  noteState({ kind: 'insight', content: { key: 'k', content: 'c' }, ...more })

it('names the kinds whose memories have a key', () => {
  const keyed = KIND_NAMES.filter((kind) => kindNamed(kind).identity !== null)
  expect(keyed.toSorted()).toEqual(['decision', 'document', 'entity', 'insight', 'stash'])
  const defaults = keyed.map((kind) => [kind, onExisting(kind, null, true)])
  expect(Object.fromEntries(defaults)).toEqual({
    decision: 'KEEP_BOTH',
    document: 'REVISE',
    entity: 'REVISE',
    insight: 'REVISE',
    stash: 'REVISE',
  })
  expect(onExisting('note', null, false)).toBe('KEEP_BOTH')
})

describe('two memories are the same thing', () => {
  it('if kind, key, context and what else the kind asks for are the same', () => {
    const keys = [
      identityKey('insight', { key: 'k', content: '' }, null),
      identityKey('insight', { key: 'k', content: '' }, 'shop'),
      identityKey('insight', { key: 'K', content: '' }, null),
      identityKey('stash', { name: 'k', summary: '' }, null),
      identityKey('entity', { name: 'k', type: 'a' }, null),
      identityKey('entity', { name: 'k', type: 'b' }, null),
      // Without lengths, these would be one text.
      identityKey('entity', { name: 'x', type: 'y' }, '1:z'),
      identityKey('entity', { name: 'x', type: '1:y' }, 'z'),
    ]
    expect(new Set(keys).size).toBe(keys.length)
    expect(identityKey('document', { externalId: 'k', content: '' }, 'shop')).toBe(
      identityKey('document', { externalId: 'k', content: 'other' }, null),
    )
  })

  it('and not if there is no key, or the input is not valid anyway', () => {
    expect(identityKeyOf(noteState())).toBeNull()
    expect(identityKeyOf(insight({ content: { content: 'c' } }))).toBeNull()
    for (const fields of [{}, { key: ' ' }, { key: 5 }, { key: null }, { key: 'a\u0000' }, { key: '\uD800' }])
      expect(identityKeyOfInput({ kind: 'insight', fields }, 'shop')).toBeNull()
    expect(identityKeyOfInput({ kind: 'nonsense', fields: { key: 'k' } }, null)).toBeNull()
    expect(identityKeyOfInput({ kind: 'insight', fields: { key: 'k' } }, ' ')).toBe(identityKeyOf(insight()))
  })
})

it('what was forgotten or has expired does not count as existing, but for documents', () => {
  const key = identityKeyOf(insight()) ?? ''
  expect(countsAsExisting(insight(), key, NOW)).toBe(true)
  expect(countsAsExisting(insight({ context: 'shop' }), key, NOW)).toBe(false)
  expect(countsAsExisting(insight({ forgottenAt: NOW }), key, NOW)).toBe(false)
  expect(countsAsExisting(insight({ expiresAt: NOW }), key, NOW)).toBe(false)
  expect(countsAsExisting(insight({ expiresAt: '2027-01-01T00:00:00.000Z' }), key, NOW)).toBe(true)
  const document = noteState({
    kind: 'document',
    content: { externalId: 'a', content: 'c' },
    forgottenAt: NOW,
  })
  expect(countsAsExisting(document, identityKeyOf(document) ?? '', NOW)).toBe(true)
})
