import { expect, test } from 'vitest'
import { createRateMeter, secondsLeft } from './rate.ts'

test('a rate is that of the last seconds', () => {
  const meter = createRateMeter()
  expect(meter.perSecond(0)).toBeNull()
  meter.add(0, 0)
  expect(meter.perSecond(100)).toBeNull()
  for (let at = 500; at <= 10_000; at += 500) meter.add(at / 10, at)
  expect(meter.perSecond(10_000)).toBeCloseTo(100)
  // Ten times as fast from now on: after the window nothing else is seen.
  for (let at = 10_500; at <= 16_000; at += 500) meter.add(1_000 + (at - 10_000), at)
  expect(meter.perSecond(16_000)).toBeCloseTo(1_000)
})

test('it sinks while nothing comes, and begins again with a count that begins again', () => {
  const meter = createRateMeter()
  meter.add(0, 0)
  meter.add(100, 1_000)
  expect(meter.perSecond(1_000)).toBe(100)
  expect(meter.perSecond(4_000)).toBe(25)
  meter.add(0, 5_000)
  expect(meter.perSecond(5_000)).toBeNull()
  meter.add(10, 6_000)
  expect(meter.perSecond(6_000)).toBe(10)
})

test('what is left is told where there is an end and a rate', () => {
  expect(secondsLeft(100, 300, 50)).toBe(4)
  expect(secondsLeft(300, 300, 50)).toBe(0)
  expect(secondsLeft(310, 300, 50)).toBe(0)
  expect(secondsLeft(100, null, 50)).toBeNull()
  expect(secondsLeft(100, 300, null)).toBeNull()
  expect(secondsLeft(100, 300, 0)).toBeNull()
})
