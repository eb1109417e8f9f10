import { expect, test } from 'vitest'
import { countFacets } from './facets.ts'
import { noteState } from './testing/note-state.ts'

test('the most frequent values come first, and the rest is counted (capability 24)', () => {
  const states = [
    noteState({ labels: ['b', 'a'], agent: 'x' }),
    noteState({ labels: ['b', 'é'], context: 'c' }),
    noteState({ kind: 'entity', content: { name: 'n', type: 'place' }, labels: ['z'] }),
  ]
  const { memories, facets } = countFacets(states, 2)
  expect(memories).toBe(3)
  expect(facets).toEqual({
    labels: {
      values: [
        { value: 'b', count: 2 },
        { value: 'a', count: 1 },
      ],
      others: { values: 2, count: 2 },
    },
    kinds: {
      values: [
        { value: 'NOTE', count: 2 },
        { value: 'ENTITY', count: 1 },
      ],
      others: { values: 0, count: 0 },
    },
    categories: { values: [], others: { values: 0, count: 0 } },
    entityTypes: { values: [{ value: 'place', count: 1 }], others: { values: 0, count: 0 } },
    agents: { values: [{ value: 'x', count: 1 }], others: { values: 0, count: 0 } },
    contexts: { values: [{ value: 'c', count: 1 }], others: { values: 0, count: 0 } },
  })
})
