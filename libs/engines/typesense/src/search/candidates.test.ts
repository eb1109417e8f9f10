import { newId } from '@daybook/memory/id'
import { expect, it } from 'vitest'
import { typesenseCandidates } from './candidates.ts'
import { typesenseFilter } from './filter.ts'

/*
 * What the server says while documents are deleted, as `Collection::search` reads it: the values are counted first, and their texts
 * looked up afterwards. Everything else is tested on servers (`libs/search/src/retrievers/candidates`).
 */
const [kept, other] = [newId(), newId()]
const answer = { found: 3, facet_counts: [{ counts: [kept, '', other].map((value) => ({ value })) }] }
const source = typesenseCandidates(
  { ask: async (searches) => searches.map(() => answer) },
  typesenseFilter(newId(), {}),
)

it('leaves out what was deleted while the server counted', async () => {
  expect(await source.words(['car'], 5)).toEqual([
    { documentFrequency: 3, isKnown: true, memoryIds: [kept, other], isCutOff: true },
  ])
  expect(await source.nearest(new Float32Array(4))).toEqual({ memoryIds: [kept, other], isCutOff: false })
})
