import { expect, it } from 'vitest'
import { painterFor } from './print.ts'
import { renderHit, type SearchHit } from './search-hit.ts'

const hit = (explanation: Partial<NonNullable<SearchHit['explanation']>>) =>
  ({
    score: 0.5,
    snippet: 'the <mark>lantern</mark>',
    memory: {
      id: 'note:1',
      kind: 'NOTE',
      title: 'Lantern',
      context: null,
      labels: ['sea'],
      metadata: { source: 'log' },
      occurredAt: null,
      createdAt: '2026-01-01T00:00:00Z',
      forgottenAt: null,
      shared: true,
    },
    sameText: [],
    explanation: {
      generation: 1,
      model: 'some-model',
      retrievers: [],
      neighbours: [],
      priors: [{ name: 'DECAY', value: -0.5, weight: 1, contribution: -0.5 }],
      terms: [],
      ...explanation,
    },
  }) as unknown as SearchHit

it('explains a score by its terms, without those that count nothing', () => {
  const term = (name: 'OWN' | 'SPEAKER', value: number, weight: number) => ({
    name,
    value,
    weight,
    contribution: value * weight,
  })
  const text = renderHit(
    1,
    hit({ terms: [term('OWN', 0.5, 6), term('SPEAKER', 0, 1.25)] }),
    painterFor({ isTTY: false } as NodeJS.WriteStream),
    Date.parse('2026-01-02T00:00:00Z'),
  )
  expect(text.split('\n').map((line) => line.trim())).toEqual([
    '1. [NOTE] Lantern (0.500) 1 day ago [#sea, source: log]',
    'the lantern',
    'note:1',
    'why: 0.500 = 1 / (1 + e^−x), x = 2.500, the sum of',
    'own: 0.500 × 6.000 = 3.000',
    'decay: -0.500 × 1.000 = -0.500',
    'generation 1, model some-model',
  ])
})
