import { describe, expect, it, test } from 'vitest'
import { isSettled, SETTLEMENTS, settling } from './settle.ts'
import type { MemoryState } from './state.ts'
import { noteState } from './testing/note-state.ts'

const ID = '0192f0c1-8a3e-7c11-9d2b-00000000000'
const memory = (n: number, more: Partial<MemoryState> = {}) => ({
  state: noteState({ id: `${ID}${n}`, ...more }),
  version: n,
})
const [older, newer] = [memory(1), memory(2)]
const OLDER = `note:${ID}1`

describe('settling two memories', () => {
  it('by superseding or keeping both changes the newer one, at its version', () => {
    const revise = { type: 'revise', id: `${ID}2`, expectedVersion: 2 }
    expect(settling('supersede', older, newer)).toEqual([{ ...revise, input: { supersedes: `${ID}1` } }])
    expect(settling('keep-both', older, memory(2, { metadata: { page: 1 } }))).toEqual([
      { ...revise, input: { metadata: { page: 1, keptBeside: [OLDER] } } },
    ])
  })

  it('by forgetting or merging forgets the older one, last', () => {
    const forget = { type: 'forget', id: `${ID}1`, expectedVersion: 1 }
    expect(settling('forget', older, newer)).toEqual([forget])
    const [one, other] = [
      memory(1, {
        labels: ['a', 'b'],
        importance: 8,
        metadata: { page: 1, keptBeside: [`note:${ID}2`, 'note:x'] },
      }),
      memory(2, { labels: ['b', 'c'], importance: 3, metadata: { page: 2, keptBeside: ['note:y'] } }),
    ]
    expect(settling('merge', one, other)).toEqual([
      expect.objectContaining({
        id: `${ID}2`,
        input: {
          labels: ['b', 'c', 'a'],
          categories: [],
          importance: 8,
          metadata: { page: 2, keptBeside: ['note:y', 'note:x'] },
        },
      }),
      forget,
    ])
  })

  it('is known from either side', () => {
    const kept = memory(2, { metadata: { keptBeside: [OLDER] } })
    expect(isSettled(older.state, newer.state)).toBe(false)
    for (const settled of [kept, memory(2, { supersedes: `${ID}1` })]) {
      expect(isSettled(older.state, settled.state)).toBe(true)
      expect(isSettled(settled.state, older.state)).toBe(true)
    }
    expect(settling('keep-both', older, kept)).toEqual([])
    expect(settling('keep-both', kept, older)).toEqual([])
  })

  test.each([[null], ['no list'], [{ a: 1 }], [[1, null, {}]]])(
    'takes %j in the metadata for nothing',
    (keptBeside) => {
      const odd = memory(2, { metadata: { keptBeside } })
      expect(isSettled(older.state, odd.state)).toBe(false)
      expect(settling('keep-both', older, odd)).toHaveLength(1)
    },
  )

  it('refuses what would say something else', () => {
    for (const as of Object.keys(SETTLEMENTS) as (keyof typeof SETTLEMENTS)[])
      expect(() => settling(as, older, older)).toThrow('newer is the older memory itself')
    expect(() => settling('supersede', older, memory(2, { supersedes: 'x' }))).toThrow('names only one')
    expect(() => settling('supersede', memory(1, { supersedes: `${ID}2` }), newer)).toThrow(
      'the other way round',
    )
  })
})
