import { expect, test } from 'vitest'
import type { Operation } from '../client/operations.ts'
import { isGood, renderEnded } from './render-ended.ts'

const operation = (more: Partial<Operation>): Operation => ({
  id: '0192f0c1-8a3e-7c11-9d2b-3f0e5a6b7c8d',
  type: 'REINDEX',
  projection: 'PGVECTOR',
  options: {},
  status: 'SUCCEEDED',
  phase: 'succeeded',
  done: 1,
  total: 1,
  result: {},
  error: null,
  cancelRequested: false,
  requestedBy: 'default',
  createdAt: '2026-11-21T10:00:00.000Z',
  startedAt: '2026-11-21T10:00:01.000Z',
  updatedAt: '2026-11-21T10:00:09.500Z',
  finishedAt: '2026-11-21T10:00:09.500Z',
  ...more,
})

test('a rebuild says what is live, and how to go back', () => {
  const result = { generation: 2, model: 'test-hash/64', old: [1] }
  expect(renderEnded(operation({ result }))).toBe(
    [
      'The reindex of pgvector has ended (8.5 s).',
      'Generation 2 is live, with vectors of test-hash/64.',
      'Generation 1 is kept for a while, and up to date:',
      '  back to it:   daybook reindex pgvector --rollback',
      '  delete it:    daybook reindex pgvector --drop-old',
    ].join('\n'),
  )
  const inPlace = renderEnded(operation({ result: { generation: 2, rewritten: 7 } }))
  expect(inPlace).toContain('7 memories were rewritten in generation 2')
})

test('a failure says why, in one line that no escape sequence is in', () => {
  const failed = operation({ status: 'FAILED', result: null, error: 'not\u001B[2J what the\njournal says' })
  expect(renderEnded(failed)).toBe('The reindex of pgvector has failed: not what the journal says')
  expect(isGood(failed)).toBe(false)
  expect(renderEnded(operation({ status: 'CANCELLED', result: null }))).toContain('was cancelled')
})

test('counts of what failed make it no success', () => {
  const backfill = (failed: number) =>
    operation({ type: 'BACKFILL', result: { done: 3, skipped: 4, failed } })
  expect(renderEnded(backfill(0))).toContain('Vectors made: 3; there already: 4; failed: 0.')
  expect([isGood(backfill(0)), isGood(backfill(1))]).toEqual([true, false])
  const retry = operation({ type: 'RETRY_PARKED', result: { retried: 2, failed: 1 } })
  expect(renderEnded(retry)).toContain('daybook parked list')
  expect(isGood(retry)).toBe(false)
  const replay = operation({ type: 'REPLAY', projection: null, result: { published: 9 } })
  expect(renderEnded(replay)).toContain('9 events were published again')
})

test('a verification is good where nothing differs any more', () => {
  const verify = (clean: boolean, different = 0, parked = 0) =>
    operation({
      type: 'VERIFY',
      result: {
        clean,
        projects: [
          {
            project: 'default',
            position: 1,
            memories: 1,
            journalDigest: 'a',
            projectionDigest: 'a',
            different,
            differences: [],
            indexProblems: [],
            pending: 0,
            parked,
            repaired: 0,
          },
        ],
      },
    })
  expect([isGood(verify(true)), isGood(verify(false, 1))]).toEqual([true, false])
  expect(renderEnded(verify(false, 1))).toContain('daybook verify pgvector --repair')
  const parked = renderEnded(verify(false, 0, 2))
  expect(parked).not.toContain('--repair')
  expect(parked).toContain('daybook parked list --projection pgvector')
})
