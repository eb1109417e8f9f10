import { describe, expect, it } from 'vitest'
import { parseStreamLine } from './stream-line.ts'

const ID = '01a216ce-d9cb-77a5-96ca-bf3eea9e91c9'
const quarantine = {
  id: ID,
  keyIds: [ID],
  agent: null,
  reason: 'poisoned',
  beganAt: '2026-01-01T00:00:00.000Z',
  beganBy: 'default',
}
const line = (change: object, more: object = {}) =>
  JSON.stringify({
    state: {
      project: { id: ID, name: 'default' },
      epoch: 1,
      minimumReader: 1,
      language: 'english',
      quarantines: [{ ...quarantine, ...change }],
      movedTo: null,
      ...more,
    },
  })
const refused = 'the home sent a line that is none of its stream'

describe('a line that is no event', () => {
  it('is read if it is a state of a project', () => {
    expect(parseStreamLine(line({}))).toMatchObject({ state: { quarantines: [quarantine] } })
    expect(() => parseStreamLine(line({ keyIds: [], agent: 'mallory' }))).not.toThrow()
  })

  it.each([
    ['a date that is none', line({ beganAt: 'soon' })],
    ['what no database keeps', line({ reason: 'a\u0000b' })],
    ['half a character', line({ beganBy: '\uD800' })],
    ['a text without an end', line({ agent: 'x'.repeat(10_000) })],
    ['a quarantine of nobody', line({ keyIds: [] })],
    [
      'more quarantines than there are',
      line({}, { quarantines: Array.from({ length: 2_000 }, () => quarantine) }),
    ],
    ['a language without an end', line({}, { language: 'x'.repeat(10_000) })],
    ['a failure whose code no database keeps', JSON.stringify({ error: { code: '\u0000', message: 'x' } })],
    ['a head without a hash', JSON.stringify({ head: { sequence: 1, hash: 'x' } })],
  ])('is refused if it has %s', (_, text) => expect(() => parseStreamLine(text)).toThrow(refused))

  it.each(['<html>secret</html>', '{"password":"secret"}'])('is not told if it is %s', (text) =>
    expect(() => parseStreamLine(text)).toThrow(
      expect.toSatisfy((thrown: Error) => thrown.message === refused && thrown.cause === undefined),
    ),
  )
})
