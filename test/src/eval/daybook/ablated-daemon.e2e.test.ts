import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Collection } from '../collection.ts'
import { evaluate } from '../evaluate.ts'
import { methods } from '../method.ts'
import type { EvaluatedDaybook } from './evaluated-daybook.ts'
import { startOwnDaybook } from './own-daybook.ts'

const note = (id: string, text: string) => ({ id, input: { content: { note: { text } } } })
const COLLECTION: Collection = {
  name: 'garden',
  groups: [
    {
      name: 'garden',
      memories: [
        note('about', 'Ben: Ann planted beans, Ann likes beans'),
        note('herself', 'Ann: we planted beans and many other things there'),
      ],
      questions: [
        { id: 'q1', text: 'What has Ann planted?', category: null, relevant: new Map([['herself', 1]]) },
      ],
      unanswerable: [{ id: 'q2', text: 'Which beans fell?' }],
    },
  ],
}

let daybook: EvaluatedDaybook
beforeAll(async () => {
  daybook = await startOwnDaybook({ groups: ['garden'], embedder: 'none', ablated: true })
})
afterAll(() => daybook?.close())

it('a daemon leaves out what it is told to, and no longer afterwards', async () => {
  const asked = methods({
    modes: ['KEYWORD'],
    engines: [],
    rankings: [],
    without: [['speaker'], ['session']],
  })
  const [whole, speaker, session] = await evaluate(daybook, COLLECTION, asked, () => {})
  expect([whole, speaker, session].map((method) => method?.questions[0]?.ranks['herself'])).toEqual([1, 2, 1])
  expect(speaker).toMatchObject({ name: 'KEYWORD without speaker', whole: 'KEYWORD' })
  expect(whole?.unanswerable?.floors[0]).toMatchObject({ falsePositives: 1, wrongHits: 2, falseNegatives: 0 })
  expect(whole?.reliability?.reduce((sum, { hits }) => sum + hits, 0)).toBe(2)
})
