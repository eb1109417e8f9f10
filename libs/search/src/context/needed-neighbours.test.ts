import { describe, expect, test } from 'vitest'
import { neededNeighbours } from './needed-neighbours.ts'

const LONG = 'Melanie: I signed up for a pottery class in the evening, every Tuesday'
const QUESTION = 'Caroline: What do you do to relax?'

function needed(hit: string, texts: { before?: string; after?: string }) {
  return neededNeighbours(hit, { before: ['b'], after: ['a'] }, (id) =>
    id === 'b' ? texts.before : texts.after,
  )
}

describe('the neighbours that a hit needs (capability 21)', () => {
  test('an answer needs its question, and a question its answer', () => {
    expect(needed(LONG, { before: QUESTION, after: LONG })).toEqual({ before: 'b', after: null })
    expect(needed(QUESTION, { before: LONG, after: LONG })).toEqual({ before: null, after: 'a' })
    expect(needed('休みの日は何をしていますか？', { before: LONG, after: LONG }).after).toBe('a')
  })

  test('a few words need what came before', () => {
    expect(needed('Yes, on Friday.', { before: LONG, after: LONG })).toEqual({ before: 'b', after: null })
  })

  test('what may not be shown is not needed', () => {
    expect(needed('Yes?', {})).toEqual({ before: null, after: null })
    expect(neededNeighbours('Yes?', { before: [], after: [] }, () => QUESTION)).toEqual({
      before: null,
      after: null,
    })
  })
})
