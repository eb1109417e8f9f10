import { describe, expect, it } from 'vitest'
import { plainExplanation } from './ranking/explanation.ts'
import type { SearchHit } from './search-request.ts'
import { withoutUnlikely } from './unlikely.ts'

const hit = (score: number, compared = true): SearchHit =>
  ({
    score,
    explanation: plainExplanation({
      method: 'DEFAULT',
      retrievers: [],
      score,
      terms: compared ? [{ name: 'own', value: 1, weight: 1, contribution: 1 }] : [],
    }),
  }) as unknown as SearchHit
const answer = (...hits: SearchHit[]) => ({ hits, message: null as string | null })
const scores = ({ hits }: { readonly hits: readonly SearchHit[] }) => hits.map(({ score }) => score)

describe('hits that are much less likely than the best', () => {
  it('are left out, and their number is said', () => {
    const cut = withoutUnlikely(answer(hit(0.8), hit(0.09), hit(0.07), hit(0.01)), { limit: 10 })
    expect(scores(cut)).toEqual([0.8, 0.09])
    expect(cut.message).toMatch(/^2 much less likely hits are left out: a minScore of 0/u)
    const said = withoutUnlikely({ hits: [hit(0.8), hit(0.01)], message: 'A sentence.' }, { limit: 10 })
    expect(said.message).toMatch(/^A sentence\. 1 much less likely hit is left out/u)
  })

  it('are left out behind a list of the kind that the query names, too', () => {
    expect(scores(withoutUnlikely(answer(hit(1, false), hit(0.3), hit(0.05)), { limit: 10 }))).toEqual([
      1, 0.3,
    ])
  })

  it('stay where the request says how likely hits must be, wants more than ten, or scores are no probabilities', () => {
    const given = answer(hit(0.8), hit(0.01))
    expect(withoutUnlikely(given, { limit: 10, minScore: 0 })).toBe(given)
    expect(withoutUnlikely(given, { limit: 10, floor: false })).toBe(given)
    expect(withoutUnlikely(given, { limit: 11 })).toBe(given)
    const sums = answer(hit(0.8, false), hit(0.01, false))
    expect(withoutUnlikely(sums, { limit: 10 })).toBe(sums)
    expect(withoutUnlikely(answer(), { limit: 10 }).hits).toEqual([])
  })
})
