import type { VerifiedProject } from '@daybook/operations/operation-types'
import { expect, test } from 'vitest'
import { renderVerified, renderVerifiedJournal } from './verify-report.ts'

const options = { named: 2, seeAll: 'daybook operations show 1' }
const equal: VerifiedProject = {
  projectId: '0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
  project: 'default',
  position: 12,
  memories: 10,
  journalDigest: 'a'.repeat(64),
  projectionDigest: 'a'.repeat(64),
  different: 0,
  differences: [],
  indexProblems: [],
  pending: 0,
  parked: 0,
  repaired: 0,
}
const difference = (number: number) => ({ memoryId: `memory-${number}`, differs: ['row', 'vectors'] })

test('a project that is equal has one line and one digest', () => {
  expect(renderVerified({ clean: true, projects: [equal] }, options)).toEqual([
    [
      'project  memories  position  pending  parked  repaired  result  digest',
      `default        10        12        0       0         0  equal   ${'a'.repeat(64)}`,
    ].join('\n'),
  ])
})

test('what differs is named, the rest counted, with how to see it', () => {
  const projects = [
    {
      ...equal,
      project: 'sho\u001B[2Jp',
      projectionDigest: 'b'.repeat(64),
      different: 120,
      differences: [1, 2, 3].map(difference),
      indexProblems: ['the words of 3 memories are indexed otherwise'],
      pending: 1,
    },
  ]
  const [rows, ...lines] = renderVerified({ clean: false, projects }, options)
  expect(rows).toContain(`120 differ  ${'a'.repeat(64)} in the journal, ${'b'.repeat(64)} in the index`)
  expect(lines).toEqual([
    'shop: the words of 3 memories are indexed otherwise',
    'shop: memory memory-1 differs in row, vectors',
    'shop: memory memory-2 differs in row, vectors',
    '… and 118 more. Those that are noted:  daybook operations show 1',
    'Pending memories wait for their vectors, which is no difference.',
  ])
  const all = renderVerified({ clean: false, projects }, { ...options, named: Number.POSITIVE_INFINITY })
  expect(all).toContain('… and 117 more. They are not noted by name.')
})

test('a repaired project says so, and that its digest is from before', () => {
  const projects = [{ ...equal, projectionDigest: 'b'.repeat(64), repaired: 3 }]
  expect(renderVerified({ clean: true, projects }, options)[0]).toMatch(/ 3 {2}equal .* before the repair$/u)
})

test('journals: unbroken ones with their head, and each problem at its sequence', () => {
  const sound = {
    projectId: equal.projectId,
    project: 'default',
    sequence: 7,
    head: 'c'.repeat(64),
    events: 7,
    erased: 2,
    count: 0,
    problems: [],
  }
  const broken = {
    ...sound,
    project: 'shop',
    count: 1,
    problems: [
      {
        kind: 'data-changed',
        sequence: 3,
        through: 3,
        memoryId: '01920000-0000-7000-8000-000000000001',
        message: 'its data does not match its hash',
      },
    ],
  }
  const [rows, ...lines] = renderVerifiedJournal({ clean: false, projects: [sound, broken] }, options)
  expect(rows).toContain('default       7       2         7  unbroken   cccccccccccccccc')
  expect(lines).toEqual([
    'shop: sequence 3: its data does not match its hash',
    expect.stringContaining('Restore a backup, or erase the memory for good'),
    '  daybook erase 01920000-0000-7000-8000-000000000001',
  ])
  const moved = {
    ...broken,
    problems: broken.problems.map((one) => ({ ...one, kind: 'row-changed' as const })),
  }
  expect(renderVerifiedJournal({ clean: false, projects: [moved] }, options).at(-1)).toContain(
    'Restore a backup in which it is sound',
  )
  expect(renderVerifiedJournal({ clean: true, projects: [] }, options)).toHaveLength(1)
})

test('parked events count as no difference, and the report says what they mean', () => {
  const [rows, ...lines] = renderVerified({ clean: false, projects: [{ ...equal, parked: 2 }] }, options)
  expect(rows).toMatch(/ 2 {9}0 {2}parked {2}/u)
  expect(lines).toEqual([
    'Parked events could not be applied: their memories are compared as they were before, and are not what the journal says.',
  ])
})
