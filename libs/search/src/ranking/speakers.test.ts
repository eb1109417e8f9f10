import { describe, expect, it } from 'vitest'
import type { RankedHit } from './rank.ts'
import { namesIn, preferSpeakers, speakersOf } from './speakers.ts'

const hit = (memoryId: string, score: number): RankedHit => ({
  memoryId,
  score,
  matchType: 'HYBRID',
  restsOn: [],
  explanation: {
    method: 'DEFAULT',
    retrievers: [],
    neighbours: [],
    terms: [],
    priors: [],
    missingNeighbours: 0,
    session: null,
    ownScore: score / 0.5,
    scale: 0.5,
    score,
  },
})

describe('namesIn', () => {
  it.each([
    ["What are Ann's plans with Émile?", ['what', 'ann', 'émile']],
    ['what does ann do', []],
    ['X and iPhone, O’Neill', ['neill']],
    ['', []],
  ])('%j', (text, names) => {
    expect([...namesIn(text)]).toEqual(names)
  })
})

describe('speakersOf', () => {
  it.each([
    ['Ann: I planted beans', ['ann']],
    ['Support (Jonas): try again', ['support', 'jonas']],
    ['Dr. Mary-Jane Wu: hello', ['dr', 'mary', 'jane', 'wu']],
    ['ann: hello', []],
    ['https://example.org', []],
    ['Note:without a blank', []],
    ['Ann said that at ten: Bob', ['ann']],
    [`A${'b'.repeat(60)}: too long for a name`, []],
  ])('%j', (text, speakers) => {
    expect([...speakersOf(text)]).toEqual(speakers)
  })
})

describe('preferSpeakers', () => {
  const texts = new Map([
    ['a', 'Bob: Ann, did you plant beans?'],
    ['b', 'Ann: Yes, in May.'],
    ['c', 'Beans are planted in May.'],
  ])
  const ranked = [hit('a', 0.4), hit('b', 0.35), hit('c', 0.2)]
  const order = (question: string) =>
    preferSpeakers(ranked, namesIn(question), (id) => texts.get(id)).map(({ memoryId }) => memoryId)

  it('puts what the named one says before what is nearly as good', () => {
    expect(order('When did Ann plant beans?')).toEqual(['b', 'a', 'c'])
    expect(order('When did Bob ask?')).toEqual(['a', 'b', 'c'])
  })

  it('says so in the explanation, which still adds up', () => {
    const [first, second] = preferSpeakers(ranked, namesIn('Ann'), (id) => texts.get(id))
    expect(first).toEqual(ranked[1])
    expect(second?.score).toBeCloseTo(0.4 / 1.3, 12)
    expect((second?.explanation.scale ?? 0) * (second?.explanation.ownScore ?? 0)).toBeCloseTo(0.4 / 1.3, 12)
  })

  it('changes nothing where no hit is of somebody named', () => {
    expect(preferSpeakers(ranked, namesIn('When did Carl plant beans?'), (id) => texts.get(id))).toBe(ranked)
    expect(preferSpeakers(ranked, namesIn('Ann'), () => undefined)).toBe(ranked)
  })
})
