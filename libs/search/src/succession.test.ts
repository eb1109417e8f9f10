import type { Memory, MemoryState } from '@daybook/memory/state'
import { noteState } from '@daybook/memory/testing/note-state'
import { isInProportion } from '@daybook/runtime/testing/growth'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainExplanation } from './ranking/explanation.ts'
import { newestFirst, orderBySuccession, type Succeeded } from './succession.ts'

const hits = (...given: [string, number][]) => given.map(([memoryId, score]) => ({ memoryId, score }))

it('puts a superseded memory below the newer one, with no more than its score', () => {
  const found = hits(['old', 0.9], ['other', 0.8], ['new', 0.5], ['last', 0.1])
  expect(orderBySuccession(found, new Map([['old', 'new']]))).toEqual(
    hits(['other', 0.8], ['new', 0.5], ['old', 0.5], ['last', 0.1]).map((hit) =>
      hit.memoryId === 'old' ? { ...hit, supersededBy: 'new' } : hit,
    ),
  )
})

it('leaves it where it is if the newer one was not found, or was found above it', () => {
  const found = hits(['old', 0.9], ['new', 0.5])
  for (const links of [new Map([['old', 'elsewhere']]), new Map([['new', 'old']])])
    expect(orderBySuccession(found, links)).toEqual(
      found.map((hit) => (links.has(hit.memoryId) ? { ...hit, supersededBy: links.get(hit.memoryId) } : hit)),
    )
})

it('keeps the order of scores and every hit, whoever supersedes whom, even in a circle', () => {
  const id = fc.nat(5).map(String)
  const found = fc.uniqueArray(
    fc.record({ memoryId: id, score: fc.double({ min: 0, max: 1, noNaN: true }) }),
    {
      selector: ({ memoryId }) => memoryId,
    },
  )
  const links = fc.array(fc.tuple(id, id)).map((pairs) => new Map(pairs))
  fc.assert(
    fc.property(found, links, (given, successors) => {
      const ranked = given.toSorted((a, b) => b.score - a.score)
      const ordered = orderBySuccession(ranked, successors)
      expect(ordered.map(({ memoryId }) => memoryId).toSorted()).toEqual(
        given.map(({ memoryId }) => memoryId).toSorted(),
      )
      expect(ordered.map(({ score }) => score)).toEqual(
        ordered.map(({ score }) => score).toSorted((a, b) => b - a),
      )
    }),
  )
})

describe('the newest memory of the same thing', () => {
  const memories = (states: Record<string, Partial<MemoryState>>) =>
    new Map<string, Memory>(
      Object.entries(states).map(([id, state]) => [
        id,
        { state: noteState({ id, context: 'shop', ...state }), version: 1, sequence: 1, firstSequence: 1 },
      ]),
    )
  const decided = (decision: string, occurredAt: string, topic = 'Database') =>
    ({ kind: 'decision', content: { topic, decision }, occurredAt }) as Partial<MemoryState>
  const noted = (text: string, occurredAt: string) =>
    ({ content: { text }, occurredAt }) as Partial<MemoryState>
  const [MAY, JUNE] = ['2026-05-01T00:00:00.000Z', '2026-06-01T00:00:00.000Z']

  it('stands before an older decision on its topic, which says so', () => {
    const found = hits(['old', 0.6], ['other', 0.5], ['new', 0.3])
    const known = memories({
      old: decided('Postgres', MAY),
      new: decided('CockroachDB', JUNE, 'database'),
      other: decided('Go', JUNE, 'language'),
    })
    expect(newestFirst(found, known, () => 0)).toEqual([
      { memoryId: 'new', score: 0.6 },
      { memoryId: 'old', score: 0.6, seemsSupersededBy: 'new' },
      { memoryId: 'other', score: 0.5 },
    ])
  })

  it('accounts for its score', () => {
    const explained = hits(['old', 0.6], ['new', 0.3]).map((hit) => ({
      ...hit,
      explanation: plainExplanation({ method: 'DEFAULT', retrievers: [], score: hit.score }),
    }))
    const known = memories({ old: decided('Postgres', MAY), new: decided('CockroachDB', JUNE) })
    const [first, second] = newestFirst(explained, known, () => 0)
    expect(first?.explanation).toMatchObject({
      score: 0.6,
      priors: [
        { name: 'succession', contribution: expect.closeTo(Math.log(0.6 / 0.4) - Math.log(0.3 / 0.7)) },
      ],
    })
    expect(second?.explanation.priors).toEqual([])
  })

  it('is told by what the texts say where there is no topic: much alike, about the same names', () => {
    const found = hits(['old', 0.6], ['new', 0.3])
    const order = (old: string, now: string, alike = 0.9) =>
      newestFirst(found, memories({ old: noted(old, MAY), new: noted(now, JUNE) }), () => alike).map(
        ({ memoryId }) => memoryId,
      )
    expect(order('Lunch costs 9 euros', 'Lunch costs 10 euros')).toEqual(['new', 'old'])
    expect(order('Lunch costs 9 euros', 'Lunch costs 10 euros', 0.8)).toEqual(['old', 'new'])
    expect(order('lift of a swept wing at low speed', 'drag of thin bodies in fast flow')).toEqual([
      'old',
      'new',
    ])
    expect(order('The bill of Hamburg is 9 euros', 'The bill of Bremen is 10 euros')).toEqual(['old', 'new'])
    expect(order('Probe P-5 is off by 2', 'Probe P-6 is off by 3')).toEqual(['old', 'new'])
    expect(order('Service 77 has the port 3077', 'Service 78 has the port 3078')).toEqual(['old', 'new'])
  })

  describe('is told by the words of short texts where no model knows', () => {
    const newest = (old: string, now: string, wanted: string, score = 0.58) =>
      newestFirst<Succeeded<{ memoryId: string; score: number }>>(
        hits(['old', 0.6], ['new', score]),
        memories({ old: noted(old, MAY), new: noted(now, JUNE) }),
        () => null,
        wanted,
      ).map((hit) => (hit.seemsSupersededBy === undefined ? hit.memoryId : `${hit.memoryId}, superseded`))

    it('the older one says so if they contradict each other', () => {
      for (const [old, now] of [
        ['We deploy on Fridays', 'We deploy on Mondays'],
        ['Our database is Postgres', 'Our database is MySQL'],
        ['Tests run with jest', 'Tests run with vitest'],
      ] as const)
        expect(newest(old, now, 'how and when?')).toEqual(['new', 'old, superseded'])
    })

    it('the newer one stands first where both may be true', () => {
      expect(newest('Ana likes coffee', 'Ana likes tea', 'what does Ana like?')).toEqual(['new', 'old'])
    })

    it('nothing is changed if one answers better, or has a word of the question that the other lacks', () => {
      const [old, now] = ['We deploy on Fridays', 'We deploy on Mondays']
      expect(newest(old, now, 'when do we deploy?', 0.4)).toEqual(['old', 'new'])
      expect(newest(old, now, 'what do we do on Fridays?')).toEqual(['old', 'new'])
      expect(newest('Gus must not eat nuts', 'Ida must not eat nuts', 'what must Gus not eat?')).toEqual([
        'old',
        'new',
      ])
      expect(newest('Ben owns the billing', 'Fay writes our mails', 'who?')).toEqual(['old', 'new'])
    })
  })

  it('compares long texts in linear time', async () => {
    const found = hits(['old', 0.6], ['new', 0.3])
    const compare = (text: string) =>
      newestFirst(found, memories({ old: noted(text, MAY), new: noted(`${text}!`, JUNE) }), () => 1)
    for (const text of ['a'.repeat(60_000), 'A '.repeat(30_000), 'a_'.repeat(30_000), '1-'.repeat(30_000)])
      expect(await isInProportion(compare, text), text.slice(0, 4)).toBe(true)
  })

  it('does not change what somebody has settled, or what is of another context', () => {
    const [old, now] = [decided('Postgres', MAY), decided('CockroachDB', JUNE)]
    const found = hits(['old', 0.6], ['new', 0.3])
    expect(newestFirst(found, memories({ old, new: { ...now, context: 'bank' } }), () => 1)).toBe(found)
    const settled = [{ memoryId: 'old', score: 0.6, supersededBy: 'x' }, found[1]!]
    expect(newestFirst(settled, memories({ old, new: now }), () => 1)).toBe(settled)
  })
})
