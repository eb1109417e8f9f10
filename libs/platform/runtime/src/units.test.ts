import { describe, expect, it } from 'vitest'
import { parseBytes, parseDuration, parseSince, parseUntil } from './units.ts'

describe('durations and sizes', () => {
  it.each([
    ['0ms', 0],
    ['500ms', 500],
    ['2m', 120_000],
    ['12h', 43_200_000],
    ['7d', 604_800_000],
  ])('%s is %d ms', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds))

  it.each([
    ['0', 0],
    ['1048576', 1_048_576],
    ['512MiB', 536_870_912],
    ['10GiB', 10_737_418_240],
  ])('%s is %d bytes', (text, bytes) => expect(parseBytes(text)).toBe(bytes))

  it.each(['', '2', 'm', '-2m', '2.5m', '2 m', '2M', '1e3s', '2m30s', '9999999999d'])(
    '%j is no duration',
    (text) => expect(parseDuration(text)).toBeNull(),
  )

  it.each(['', '-1', '1.5GiB', '1GB', '1 GiB', 'unlimited', '999999999999999TiB'])('%j is no size', (text) =>
    expect(parseBytes(text)).toBeNull(),
  )

  it.each([
    ['today', '2026-11-27T00:00:00.000Z'],
    ['Yesterday', '2026-11-26T00:00:00.000Z'],
    ['2h', '2026-11-27T19:30:00.000Z'],
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2026-11-21T08:00:00+01:00', '2026-11-21T07:00:00.000Z'],
    ['tomorrow', null],
    ['2026-02-30', null],
    ['739000d', '0003-08-05T21:30:00.000Z'],
    ['9999999d', null],
    ['999999999d', null],
  ])('since %s is since %s', (text, moment) => {
    expect(parseSince(text, Date.parse('2026-11-27T21:30:00Z'))).toBe(moment)
  })

  it.each([
    ['30d', '2026-12-27T21:30:00.000Z'],
    ['2912000d', '9999-09-10T21:30:00.000Z'],
    ['99999999d', null],
    ['9999-12-31', '9999-12-31T00:00:00.000Z'],
    ['soon', null],
  ])('until %s is until %s', (text, moment) => {
    expect(parseUntil(text, Date.parse('2026-11-27T21:30:00Z'))).toBe(moment)
  })
})
