import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { operationName, operationProgress } from '../operations/render-ended.ts'
import { progressBar, progressLine } from './show-progress.ts'

const progress = { work: 'reindex of pgvector', phase: 'loading', done: 420, total: 1_000 }

test('a line says phase, share, count, rate and time left', () => {
  expect(progressLine(progress, 83.4)).toBe(
    'reindex of pgvector: loading 42 % (420 of 1,000, 83/s, 7.0 s left)',
  )
  expect(progressLine(progress, null)).toBe('reindex of pgvector: loading 42 % (420 of 1,000)')
  expect(progressLine({ ...progress, total: null, done: 0 }, null)).toBe('reindex of pgvector: loading')
  expect(progressLine({ ...progress, total: null }, 4.25)).toBe('reindex of pgvector: loading (420, 4.3/s)')
})

test('amounts may be told in words, with the time left of what is counted', () => {
  const imported = { ...progress, work: 'import', phase: 'importing', amount: '12,345 imported, 1 failed' }
  expect(progressLine(imported, 10)).toBe('import: importing 42 % (12,345 imported, 1 failed, 58 s left)')
})

test('a bar is as long as the share, and never longer than itself', () => {
  expect(progressBar({ ...progress, done: 500 }, 83.4)).toBe(
    'loading     ████████████░░░░░░░░░░░░  50 %  500 of 1,000  83/s  6.0 s left',
  )
  expect(progressBar({ ...progress, done: 1_200 }, 0)).toBe(
    `loading     ${'█'.repeat(24)} 100 %  1,200 of 1,000`,
  )
  expect(progressBar({ ...progress, total: null, done: 0 }, null)).toBe('loading   ')
  // Nothing to do is no division by nothing.
  expect(progressBar({ ...progress, total: 0, done: 0 }, null)).toBe('loading     0 of 0')
})

test('where a terminal is narrow the bar gives way, then the rate, and the time left stays', () => {
  const long = { ...progress, done: 500_000, total: 1_000_000 }
  expect(progressBar(long, 834, 80)).toBe(
    'loading     ███████░░░░░░░░  50 %  500,000 of 1,000,000  834/s  10 min 0 s left',
  )
  expect(progressBar(long, 834, 70)).toBe('loading      50 %  500,000 of 1,000,000  834/s  10 min 0 s left')
  expect(progressBar(long, 834, 60)).toBe('loading      50 %  500,000 of 1,000,000  10 min 0 s left')
  for (let columns = 30; columns < 120; columns += 1)
    expect(stringWidth(progressBar(long, 834, columns))).toBeLessThan(columns)
})

test('what an operation waits for stands where its numbers were, and nothing of it moves the cursor', () => {
  const operation = {
    type: 'REINDEX',
    projection: 'PGVECTOR',
    status: 'RUNNING',
    phase: 'loading',
    done: 420,
    total: 1_000,
    error: null,
  } as const
  expect(operationProgress(operation)).toMatchObject(progress)
  const waiting = { ...operation, error: 'waiting: Typesense\u001B[2J does\nnot answer' }
  expect(progressLine(operationProgress(waiting), null)).toBe(
    'reindex of pgvector: loading 42 % (waiting: Typesense does not answer)',
  )
  expect(operationName({ type: 'VERIFY_JOURNAL', projection: null })).toBe('verify-journal')
})
