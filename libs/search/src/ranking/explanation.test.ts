import { describe, expect, it } from 'vitest'
import { RANKING_TERMS, type RankingTerm } from './ablation.ts'
import { withoutTerms } from './explanation.ts'
import { DEFAULT_RANKING } from './options.ts'
import { rank } from './rank.ts'

const without = (...terms: RankingTerm[]) => withoutTerms({ ...DEFAULT_RANKING, without: new Set(terms) })

describe('withoutTerms', () => {
  it('changes nothing where nothing is left out', () => {
    expect(withoutTerms(DEFAULT_RANKING)).toBe(DEFAULT_RANKING)
  })

  it('takes the weight of a term away, and no other', () => {
    expect(without('neighbours')).toEqual({
      ...without(),
      neighbourDecay: 0,
      without: new Set(['neighbours']),
    })
    expect(without('session', 'lexical')).toMatchObject({
      sessionShare: 0,
      lexicalWeight: 0,
      vectorWeight: DEFAULT_RANKING.vectorWeight,
      neighbourDecay: DEFAULT_RANKING.neighbourDecay,
    })
  })

  it('takes late interaction as a whole away', () => {
    expect(without('tokens')).toEqual({ ...without(), lateInteraction: false, without: new Set(['tokens']) })
  })

  it('keeps what a retriever without weight found', () => {
    const hits = rank({
      lexical: [{ memoryId: 'a', score: 3 }],
      vector: [{ memoryId: 'b', score: 0.5 }],
      neighbourhoods: new Map(),
      eligible: () => true,
      options: without('lexical'),
      limit: 10,
    })
    expect(hits.map(({ memoryId }) => memoryId)).toEqual(['b', 'a'])
  })

  it('knows each term once', () => {
    expect(new Set(RANKING_TERMS).size).toBe(RANKING_TERMS.length)
  })
})
