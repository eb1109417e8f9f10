import { expect, test } from 'vitest'
import { operationName, progressBar, progressLine } from './progress-line.ts'

const operation = {
  type: 'REINDEX',
  projection: 'PGVECTOR',
  status: 'RUNNING',
  phase: 'loading',
  done: 420,
  total: 1_000,
  error: null,
} as const

test('a line says phase, share, count, rate and time left', () => {
  expect(progressLine(operation, 83.4)).toBe(
    'reindex of pgvector: loading 42 % (420 of 1000, 83/s, 7.0 s left)',
  )
  expect(progressLine(operation, null)).toBe('reindex of pgvector: loading 42 % (420 of 1000)')
  expect(progressLine({ ...operation, total: null, done: 0 }, null)).toBe('reindex of pgvector: loading')
  expect(progressLine({ ...operation, total: null }, 4.25)).toBe('reindex of pgvector: loading (420, 4.3/s)')
})

test('a bar is as long as the share, and never longer than itself', () => {
  expect(progressBar({ ...operation, done: 500 }, 83.4)).toBe(
    'loading     ████████████░░░░░░░░░░░░  50 %  500 of 1000  83/s  6.0 s left',
  )
  expect(progressBar({ ...operation, done: 1_200 }, 0)).toBe(
    `loading     ${'█'.repeat(24)} 100 %  1200 of 1000`,
  )
  expect(progressBar({ ...operation, total: null, done: 0 }, null)).toBe('loading   ')
  // Nothing to do is no division by nothing.
  expect(progressBar({ ...operation, total: 0, done: 0 }, null)).toBe('loading     0 of 0')
})

test('what it waits for stands where its numbers were, and nothing of it moves the cursor', () => {
  const waiting = { ...operation, error: 'waiting: Typesense\u001B[2J does\nnot answer' }
  expect(progressLine(waiting, null)).toBe(
    'reindex of pgvector: loading 42 % (waiting: Typesense does not answer)',
  )
  expect(operationName({ type: 'VERIFY_JOURNAL', projection: null })).toBe('verify-journal')
})
