import { describe, expect, it } from 'vitest'
import { formatMemoryId, newId, parseMemoryId, parseMemoryIdPrefix, subjectId } from './id.ts'
import { KIND_NAMES } from './kinds/index.ts'

const UUID = '0192f0c1-7a2b-7c3d-8e4f-0123456789ab'

it('a subject has one id with its issuer, and another one with each other', () => {
  const id = subjectId('https://one.example.com', 'alice')
  expect(subjectId('https://one.example.com', 'alice')).toBe(id)
  expect(
    new Set([id, subjectId('https://one.example.com/', 'alice'), subjectId('https://one.example.com', 'bob')])
      .size,
  ).toBe(3)
})

describe('a memory id', () => {
  it.each(KIND_NAMES)('is read in both spellings for a %s', (kind) => {
    expect(parseMemoryId(formatMemoryId(kind, UUID))).toEqual({ uuid: UUID, kind })
    expect(parseMemoryId(UUID)).toEqual({ uuid: UUID, kind: null })
  })

  it('is read in capitals and kept in lower case', () => {
    expect(parseMemoryId(`INSIGHT:${UUID.toUpperCase()}`)).toEqual({ uuid: UUID, kind: 'insight' })
    expect(parseMemoryId(UUID.toUpperCase())).toEqual({ uuid: UUID, kind: null })
  })

  it.each([
    '',
    ':',
    'note',
    'note:',
    `:${UUID}`,
    `poem:${UUID}`,
    `constructor:${UUID}`,
    `note:note:${UUID}`,
    `note:${UUID} `,
    ` ${UUID}`,
    `${UUID}'; drop table events; --`,
    UUID.slice(1),
    UUID.replaceAll('-', ''),
    `{${UUID}}`,
    'note:../../etc/passwd',
    `note:${UUID}\u0000`,
  ])('%j is none', (id) => {
    expect(parseMemoryId(id)).toBeNull()
  })

  it.each([
    ['0192f0', null],
    ['NOTE:0192F0', 'note'],
    ['note:0192-f0', 'note'],
  ])('%j is how one begins', (prefix, kind) => {
    const [first, last] = [`0192f0${'0'.repeat(26)}`, `0192f0${'f'.repeat(26)}`]
    expect(parseMemoryIdPrefix(prefix)).toEqual({ kind, first, last })
  })

  it.each(['', 'note:', '019', 'note:0-1-9', 'poem:0192f0', '0192g0', `${UUID}0`])(
    'none begins with %j',
    (prefix) => expect(parseMemoryIdPrefix(prefix)).toBeNull(),
  )

  it('is new each time, and later ones sort after earlier ones', () => {
    const ids = Array.from({ length: 1000 }, newId)
    expect(new Set(ids).size).toBe(1000)
    expect(ids.toSorted()).toEqual(ids)
    expect(parseMemoryId(newId())).not.toBeNull()
  })
})
