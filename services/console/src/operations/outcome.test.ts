import type { VerifiedProject } from '@daybook/operations/operation-types'
import { expect, test } from 'vitest'
import { verifiedIndex, verifiedJournal } from './outcome.ts'

const project = (found: Partial<VerifiedProject>): VerifiedProject => ({
  projectId: 'p',
  project: 'shop',
  position: 9,
  memories: 12_481,
  journalDigest: 'a',
  projectionDigest: 'a',
  different: 0,
  differences: [],
  indexProblems: [],
  pending: 0,
  parked: 0,
  repaired: 0,
  ...found,
})

test('an index that is what the journal says, in one project or several', () => {
  expect(verifiedIndex({ clean: true, projects: [project({})] })).toEqual({
    good: true,
    sentence: '12,481 memories equal the journal.',
    details: [],
    repairable: false,
  })
  expect(
    verifiedIndex({ clean: true, projects: [project({ memories: 1 }), project({ memories: 0 })] }).sentence,
  ).toBe('1 memory equals the journal.')
  expect(verifiedIndex({ clean: true, projects: [] }).sentence).toBe('There is nothing to compare yet.')
})

test('what differs is counted and named, and can be repaired', () => {
  const differences = [{ memoryId: 'm', differs: ['row', 'vector'] }]
  const found = verifiedIndex({ clean: false, projects: [project({ different: 3, differences })] })
  expect(found).toMatchObject({ good: false, repairable: true })
  expect(found.sentence).toBe('3 of 12,481 memories differ from the journal.')
  expect(found.details).toEqual([
    'shop: memory m differs in row, vector',
    'shop: … and 2 more, which are not noted by name',
  ])
  expect(verifiedIndex({ clean: true, projects: [project({ repaired: 2 })] }).sentence).toBe(
    '2 memories differed and were repaired; 12,481 memories equal the journal.',
  )
  const index = verifiedIndex({
    clean: false,
    projects: [project({ indexProblems: ['a lexeme too much'] })],
  })
  expect(index).toMatchObject({ repairable: true, details: ['shop: a lexeme too much'] })
  expect(index.sentence).toBe('The index itself differs from what it should be.')
})

test('parked events are no difference that a repair would mend, and late vectors are none at all', () => {
  expect(verifiedIndex({ clean: false, projects: [project({ parked: 1 })] })).toMatchObject({
    good: false,
    repairable: false,
    sentence: '1 event is parked, so its memory is older there than in the journal.',
  })
  expect(verifiedIndex({ clean: true, projects: [project({ pending: 2 })] })).toMatchObject({
    good: true,
    sentence: '12,481 memories equal the journal; 2 memories wait for vectors, which is no difference.',
  })
})

test('a journal whose chain is broken says where', () => {
  const journal = { projectId: 'p', project: 'shop', sequence: 9, head: 'h', events: 9, erased: 0 }
  expect(verifiedJournal({ clean: true, projects: [{ ...journal, count: 0, problems: [] }] })).toMatchObject({
    good: true,
    sentence: '9 events of 1 project stand in an unbroken chain of hashes.',
  })
  const problem = { kind: 'data', sequence: 7, through: 7, memoryId: 'm', message: 'its data was changed' }
  const found = verifiedJournal({ clean: false, projects: [{ ...journal, count: 1, problems: [problem] }] })
  expect(found.good).toBe(false)
  expect(found.sentence).toMatch(/^1 problem in 9 events: /u)
  expect(found.details).toEqual(['shop, event 7: its data was changed'])
})
