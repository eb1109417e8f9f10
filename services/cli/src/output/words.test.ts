import { expect, test } from 'vitest'
import { duration, size } from './print.ts'

test('times are told as people say them', () => {
  const told = [0.04, 9.96, 12.4, 59.6, 185, 3_600, 7_385].map(duration)
  expect(told).toEqual(['0.0 s', '10.0 s', '12 s', '1 min 0 s', '3 min 5 s', '1 h 0 min', '2 h 3 min'])
})

test('sizes are told in the unit that fits', () => {
  const told = [0, 1_023, 1_024, 12_900_000, 3 * 1024 ** 3, 5_000 * 1024 ** 4].map(size)
  expect(told).toEqual(['0 B', '1023 B', '1.0 KiB', '12.3 MiB', '3.0 GiB', '4.8 PiB'])
})
