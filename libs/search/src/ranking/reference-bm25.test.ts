import { describe, expect, it } from 'vitest'
import { type ReferenceDocument, referenceBm25 } from './reference-bm25.ts'

function document(id: string, text: string): ReferenceDocument {
  const words = text.split(' ')
  const lexemes = new Map<string, number>()
  for (const word of words) lexemes.set(word, (lexemes.get(word) ?? 0) + 1)
  return { id, lexemes, length: words.length }
}

/** n = 4, avgdl = 3; df: red 2, car 2, blue 1 */
const documents = [
  document('a', 'red car'),
  document('b', 'red red red boat'),
  document('c', 'blue car by night'),
  document('d', 'quiet night'),
]

describe('referenceBm25', () => {
  it('adds up the words, each by rarity, repetition and length', () => {
    const [first, second, third, ...rest] = referenceBm25(
      documents,
      new Map([
        ['red', 1],
        ['car', 1],
      ]),
      { coverage: false },
    )
    // idf(4, 2) = ln(1 + 2.5/2.5) = ln 2
    // a: 2 · ln 2 · 2.2/(1 + 1.2·(.6 + .4·2/3)) = 2 · ln 2 · 2.2/2.04
    expect(first).toEqual({ id: 'a', score: expect.closeTo((2 * Math.LN2 * 2.2) / 2.04, 12) })
    // b: ln 2 · 6.6/(3 + 1.2·(.6 + .4·4/3)) = ln 2 · 6.6/4.36
    expect(second).toEqual({ id: 'b', score: expect.closeTo((Math.LN2 * 6.6) / 4.36, 12) })
    // c: ln 2 · 2.2/(1 + 1.36) = ln 2 · 2.2/2.36
    expect(third).toEqual({ id: 'c', score: expect.closeTo((Math.LN2 * 2.2) / 2.36, 12) })
    expect(rest).toEqual([])
  })

  it('multiplies with the root of what is covered, unknown words not counted', () => {
    const question = new Map([
      ['red', 1],
      ['car', 1],
      ['unicorn', 1],
    ])
    const plain = referenceBm25(documents, question, { coverage: false })
    const covered = referenceBm25(documents, question, { coverage: true })
    expect(covered.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect(covered[0]?.score).toBeCloseTo(plain[0]!.score, 12)
    expect(covered[1]?.score).toBeCloseTo(plain[1]!.score * Math.SQRT1_2, 12)
  })

  it('counts a word as often as the question says it', () => {
    const once = referenceBm25(documents, new Map([['blue', 1]]), { coverage: true })
    const twice = referenceBm25(documents, new Map([['blue', 2]]), { coverage: true })
    expect(twice[0]?.score).toBeCloseTo(2 * once[0]!.score, 12)
  })

  it('orders equal scores by id, and finds nothing in nothing', () => {
    const twins = [document('z', 'red'), document('y', 'red')]
    expect(referenceBm25(twins, new Map([['red', 1]]), { coverage: true }).map(({ id }) => id)).toEqual([
      'y',
      'z',
    ])
    expect(referenceBm25([], new Map([['red', 1]]), { coverage: true })).toEqual([])
    expect(referenceBm25(twins, new Map(), { coverage: true })).toEqual([])
  })
})
