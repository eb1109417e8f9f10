import { expect, test } from 'vitest'
import { formatBytes, formatCounted, formatDuration, formatRate, formatShare } from './format.ts'

test('amounts in the largest unit that says something', () => {
  expect([0, 999, 1_000, 176_234, 1.4e6, 2e15].map(formatBytes)).toEqual([
    '0 bytes',
    '999 bytes',
    '1 kB',
    '176.2 kB',
    '1.4 MB',
    '2,000 TB',
  ])
  expect([0.42, 12.4, 59.6, 185, 7_380].map(formatDuration)).toEqual([
    '0.4 sec',
    '12 sec',
    '1 min 0 sec',
    '3 min 5 sec',
    '2 hr 3 min',
  ])
  expect([1, 12_481].map((count) => formatCounted(count, 'memory', 'memories'))).toEqual([
    '1 memory',
    '12,481 memories',
  ])
})

test('a share is 100 % only at the end, and slow work has a rate too', () => {
  expect([0, 0.999, 1, 1.2].map(formatShare)).toEqual(['0%', '99%', '100%', '100%'])
  expect([7.46, 1_204.4].map(formatRate)).toEqual(['7.5/s', '1,204/s'])
})
