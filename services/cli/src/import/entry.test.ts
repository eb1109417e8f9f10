import { describe, expect, test } from 'vitest'
import { createEntryReader, type Entry, LONGEST_INPUT } from './entry.ts'

const keyOf = (entry: unknown) =>
  (JSON.parse((entry as Entry).json) as { idempotencyKey: string }).idempotencyKey

/** The key of a file's only line. */
const key = (text: string) => keyOf(createEntryReader()(1, text))

describe('the idempotency key of a line', () => {
  test('is made from what the line says, not from how it is written', () => {
    const one = key('{"content":{"note":{"text":"a"}},"labels":["x"]}')
    expect(one).toMatch(/^import:[0-9a-f]{32}:1$/u)
    expect(key('{ "labels": ["x"], "content": {"note": {"text": "\\u0061"}} }')).toBe(one)
    expect(key('{"content":{"note":{"text":"a"}},"labels":["y"]}')).not.toBe(one)
  })

  test('does not change between versions: imports begun with an older one go on', () => {
    expect(keyOf(createEntryReader()(1, '{"content":{"note":{"text":"a"}}}'))).toBe(
      'import:fa88716ee92d4098e009fc4c76a21b66:1',
    )
  })

  test('tells what to do about what exists, unless the line says it; that is part of the content', () => {
    const read = createEntryReader('REJECT')
    const text = '{"content":{"note":{"text":"a"}}}'
    const entry = read(1, text)
    expect(JSON.parse((entry as Entry).json)).toMatchObject({ onExisting: 'REJECT' })
    expect(keyOf(entry)).not.toBe(key(text))
    const own = read(2, '{"content":{"note":{"text":"a"}},"onExisting":"REVISE"}')
    expect(JSON.parse((own as Entry).json)).toMatchObject({ onExisting: 'REVISE' })
  })

  test('counts the same line, so that it may stand there twice', () => {
    const read = createEntryReader()
    const keys = ['a', 'b', 'a', 'a'].map((text, index) =>
      keyOf(read(index + 1, JSON.stringify({ content: { note: { text } } }))),
    )
    expect(new Set(keys).size).toBe(4)
    expect(keys.map((one) => one.split(':')[2])).toEqual(['1', '1', '2', '3'])
  })

  test('is the line’s own where it has one', () => {
    expect(keyOf(createEntryReader()(1, '{"idempotencyKey":"mine"}'))).toBe('mine')
    expect(keyOf(createEntryReader()(1, '{"idempotencyKey":null}'))).toMatch(/^import:/u)
  })
})

test('a date of a line is sent as its first moment, and what is none as it is', () => {
  const sent = (occurredAt: string) =>
    (
      JSON.parse((createEntryReader()(1, JSON.stringify({ occurredAt })) as Entry).json) as {
        occurredAt: string
      }
    ).occurredAt
  expect(sent('2026-11-21')).toBe('2026-11-21T00:00:00.000Z')
  expect(sent('2026-11-21T09:30:00+02:00')).toBe('2026-11-21T09:30:00+02:00')
  expect(sent('2024-02-30')).toBe('2024-02-30')
})

describe('a line that cannot be sent', () => {
  test.each([
    ['{nope', 'is not JSON'],
    ['[1]', 'is not a JSON object'],
    ['"text"', 'is not a JSON object'],
    ['null', 'is not a JSON object'],
    ['{"content":{"insight":{"key":"k\\u0000"}}}', 'content.insight.key must not contain the NUL character'],
    ['{"content":{"note":{"text":"\\ud800"}}}', 'content.note.text must be well-formed Unicode'],
    ['{"importance":1e400}', 'importance must hold finite numbers'],
    ['{"metadata":{"id":9007199254740993}}', 'holds the number 9007199254740993, which would be rounded'],
    [
      `{"metadata":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
      'metadata is nested too deeply: the limit is 32',
    ],
  ])('%.60s', (text, message) => {
    expect(createEntryReader()(7, text)).toMatchObject({
      line: 7,
      message: expect.stringContaining(message) as string,
    })
  })

  test('is one that is longer than a request may be', () => {
    const text = JSON.stringify({ content: { note: { text: 'x'.repeat(LONGEST_INPUT) } } })
    expect(createEntryReader()(7, text)).toMatchObject({
      line: 7,
      message: expect.stringContaining('too long to be sent') as string,
    })
  })
})

test('a time that names no zone is read in this machine’s, and the entry says so', () => {
  const read = (occurredAt: string) => createEntryReader()(1, JSON.stringify({ occurredAt })) as Entry
  expect(read('2026-11-21 09:30').localTimes).toBe(true)
  expect(JSON.parse(read('2026-11-21 09:30').json)).toMatchObject({
    occurredAt: new Date(2026, 10, 21, 9, 30).toISOString(),
  })
  for (const zoned of ['2026-11-21', '2026-11-21 09:30Z', '2026-11-21T09:30:00+02:00', 'soon'])
    expect([zoned, read(zoned).localTimes]).toEqual([zoned, false])
})
