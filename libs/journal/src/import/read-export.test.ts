import { canonicalJson } from '@daybook/memory/canonical-json'
import { describe, expect, it, test } from 'vitest'
import { bytesOf, rechained, withRightEnd } from '../testing/exports.ts'
import { parseEventLine } from './parse-line.ts'
import { type ExportItem, readExport } from './read-export.ts'

const id = (number: number) => `0192f0c1-0000-7000-8000-00000000000${number}`
const ZEROS = '0'.repeat(64)
const REQUEST = `02${ZEROS}`
const HEADER = '{"format":"daybook-journal","version":2}'

const eventLine = (sequence: number, more: object = {}) =>
  canonicalJson({
    event: {
      sequence,
      eventId: id(sequence),
      memoryId: id(9),
      version: sequence,
      type: 'MemoryRevised',
      schemaVersion: 1,
      recordedAt: `2026-11-21T12:00:00.00${sequence}Z`,
      actor: null,
      correlationId: 'c',
      causationId: null,
      data: { state: { text: `text ${sequence}` } },
      dataSalt: `0${sequence}`.repeat(16),
      dataHash: ZEROS,
      hash: ZEROS,
      idempotencyKeys: [{ key: `key ${sequence}`, requestHash: REQUEST }],
      ...more,
    },
  })
const projectLine = (more: object = {}) =>
  canonicalJson({ project: { id: id(0), name: 'shop', events: 3, hash: ZEROS, ...more } })

const GOOD = rechained([HEADER, projectLine(), eventLine(1), eventLine(2), eventLine(3)])
const LINES = GOOD.trimEnd().split('\n')
/** The good lines, with some replaced: `{ 3: 'another third line' }`. */
const withLines = (others: Record<number, string>) => LINES.map((line, index) => others[index + 1] ?? line)
/** Changes a line as somebody would who ignores hashes. */
const edited = (line: number, from: string, to: string) =>
  withLines({ [line]: (LINES[line - 1] ?? '').replace(from, to) })

async function read(text: string, chunkBytes = 1_000): Promise<ExportItem[]> {
  const items: ExportItem[] = []
  for await (const item of readExport(bytesOf(text, chunkBytes))) items.push(item)
  return items
}

describe('an exported journal', () => {
  it('is read the same however it is cut into chunks', async () => {
    const items = await read(GOOD)
    expect(items.map((item) => Object.keys(item)[0])).toEqual(['project', 'event', 'event', 'event', 'end'])
    expect(items[2]).toMatchObject({
      event: { projectId: id(0), sequence: 2, keys: [{ key: 'key 2', requestHash: REQUEST }] },
    })
    expect(await read(GOOD, 1)).toEqual(items)
  })

  it('may hold projects without events, and none at all', async () => {
    const empty = [projectLine({ events: 0 }), projectLine({ id: id(1), name: 'b', events: 0 })]
    expect(await read(withRightEnd([HEADER, ...empty]))).toHaveLength(3)
    expect(await read(withRightEnd([HEADER]))).toHaveLength(1)
  })

  it('may have been through a program that ends lines in another way', async () => {
    expect(await read(`\uFEFF${GOOD.replaceAll('\n', '\r\n')}\r\n`)).toHaveLength(5)
  })

  it('gives what comes before a bad line', async () => {
    const items: ExportItem[] = []
    const reading = (async () => {
      for await (const item of readExport(bytesOf(edited(4, 'text 2', 'text x').join('\n')))) items.push(item)
    })()
    await expect(reading).rejects.toMatchObject({ line: 4 })
    expect(items).toHaveLength(2)
  })
})

const deep = `{"event":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
const rehashed = (line: number, more: object) =>
  rechained(withLines({ [line + 2]: eventLine(line, more) })).split('\n')

test.each<[what: string, lines: readonly string[], line: number, message: RegExp]>([
  ['nothing', [''], 1, /is empty/],
  ['text', ['hello'], 1, /is not JSON/],
  ['memories', ['{"content":{"note":{"text":"x"}}}'], 1, /is not a line of an exported journal/],
  ['events without a header', LINES.slice(1), 1, /does not begin an exported journal/],
  ['a newer format', withLines({ 1: HEADER.replace('2', '3') }), 1, /version 3 of the format/],
  ['a format without salts', withLines({ 1: HEADER.replace('2', '1') }), 1, /version 1 of the format/],
  ['a salt without data', withLines({ 3: eventLine(1, { data: null }) }), 3, /must have a salt/],
  ['data without its salt', withLines({ 3: eventLine(1, { dataSalt: null }) }), 3, /must have a salt/],
  ['a short salt', withLines({ 3: eventLine(1, { dataSalt: '00' }) }), 3, /dataSalt must be 16 bytes/],
  ['two exports', [...LINES, ...LINES], 7, /after the end/],
  ['two headers', withLines({ 2: HEADER }), 2, /begins another export/],
  ['an event before its project', withLines({ 2: LINES[2] ?? '' }), 2, /outside of a project/],
  ['an event too many', [...LINES.slice(0, 5), eventLine(4)], 6, /outside of a project/],
  ['a missing event', [...LINES.slice(0, 3), ...LINES.slice(4)], 4, /is event 3 .* where 2 belongs/],
  ['a repeated event', [...LINES.slice(0, 4), ...LINES.slice(3)], 5, /is event 2 .* where 3 belongs/],
  ['a missing last event', [...LINES.slice(0, 4), ...LINES.slice(5)], 5, /"shop" are not complete/],
  ['no end', LINES.slice(0, -1), 6, /cut off/],
  ['half an end', [...LINES.slice(0, -1), (LINES[5] ?? '').slice(0, 20)], 6, /is not JSON/],
  ['half an event', [...LINES.slice(0, 3), (LINES[3] ?? '').slice(0, 50)], 4, /is not JSON/],
  ['changed data', edited(4, 'text 2', 'text x'), 4, /event 2: its data does not match/],
  ['a changed fact', edited(4, '"actor":null', '"actor":"me"'), 4, /event 2: what is stored about it/],
  [
    'changed hashes',
    edited(5, '"hash":"', '"hash":"00').map((line) => line.replace(/("hash":"00.{62})../u, '$1')),
    5,
    /event 3/,
  ],
  [
    'another end of the chain',
    edited(2, '"hash":"', '"hash":"00').map((line) => line.replace(/("hash":"00.{62})../u, '$1')),
    5,
    /does not end the project/,
  ],
  ['a changed key', edited(3, 'key 1', 'key x'), 6, /checksum is wrong/],
  ['a changed name', edited(2, 'shop', 'shoe'), 6, /checksum is wrong/],
  [
    'wrong counts',
    edited(6, '"events":3', '"events":4'),
    6,
    /4 events were exported, but the file has 1 and 3/,
  ],
  ['blanks', withLines({ 3: (LINES[2] ?? '').replace(',', ', ') }), 3, /not in canonical form/],
  [
    'an unknown field',
    withLines({ 3: eventLine(1, { colour: 'red' }) }),
    3,
    /is not a valid event of an export/,
  ],
  ['an unknown kind of line', withLines({ 3: '{"colour":"red"}' }), 3, /not a line of an exported journal/],
  [
    'an id in capitals',
    withLines({ 3: eventLine(1, { eventId: id(1).toUpperCase() }) }),
    3,
    /eventId must be a UUID/,
  ],
  ['a sequence that is no number', withLines({ 3: eventLine(1, { sequence: '1' }) }), 3, /sequence/],
  ['a version beyond what is stored', withLines({ 3: eventLine(1, { version: 2 ** 31 }) }), 3, /version/],
  [
    'a time that is none',
    withLines({ 3: eventLine(1, { recordedAt: '2026-02-30T00:00:00.000Z' }) }),
    3,
    /recordedAt/,
  ],
  [
    'a time in another spelling',
    withLines({ 3: eventLine(1, { recordedAt: '2026-11-21T12:00:00Z' }) }),
    3,
    /recordedAt/,
  ],
  ['a NUL in the data', rehashed(1, { data: { text: 'a\u0000' } }), 3, /NUL/],
  ['a NUL behind a backslash', rehashed(1, { data: { text: '\\\u0000' } }), 3, /NUL/],
  ['half a character', withLines({ 3: String.raw`{"event":{"data":"\ud800"}}` }), 3, /unpaired surrogate/],
  ['a number beyond all', withLines({ 3: '{"event":{"data":1e999}}' }), 3, /Infinity/],
  ['a depth beyond all', withLines({ 3: deep }), 3, /nested too deeply/],
  ['null', withLines({ 3: 'null' }), 3, /not a line of an exported journal/],
])('with %s is refused, naming the line', async (_, lines, line, message) => {
  await expect(read(lines.join('\n'))).rejects.toMatchObject({
    code: 'INVALID_EXPORT',
    line,
    message: expect.stringMatching(message),
  })
})

test('an event whose data and salt were erased is read, with the hash that its data had', async () => {
  const { event } = JSON.parse(LINES[3] ?? '')
  const idempotencyKeys = [{ key: 'key 2', requestHash: null }]
  const erased = canonicalJson({ event: { ...event, data: null, dataSalt: null, idempotencyKeys } })
  const items = await read(withRightEnd(withLines({ 4: erased })))
  expect(items[2]).toMatchObject({
    event: { data: null, dataSalt: null, dataHash: event.dataHash, hash: event.hash },
  })
})

test('bytes that are no text, and a line without an end, are refused', async () => {
  const bytes = async function* () {
    yield Buffer.from(`${HEADER}\n`)
    yield Buffer.from([0xff, 0xfe, 0x0a])
  }
  await expect(readExport(bytes()).next()).rejects.toMatchObject({ line: 2, message: /UTF-8/ })
  const endless = async function* () {
    yield Buffer.from(`${HEADER}\n`)
    for (let part = 0; part < 40; part += 1) yield Buffer.alloc(1024 * 1024, 'x')
  }
  await expect(readExport(endless()).next()).rejects.toMatchObject({ line: 2, message: /too long/ })
})

test('times that go back, after a clock that was ahead, are kept as they are', async () => {
  const earlier = '2026-11-21T11:00:00.000Z'
  const items = await read(rehashed(2, { recordedAt: earlier }).join('\n'))
  expect(items[2]).toMatchObject({ event: { sequence: 2, recordedAt: earlier } })
})

test('what looks like an escaped NUL and is none is kept', async () => {
  const text = String.raw`a \u0000 written out`
  const items = await read(rehashed(1, { data: { text } }).join('\n'))
  expect(items[1]).toMatchObject({ event: { data: { text } } })
})

it.each([
  ['NUL', 'a\\u0000b', 'NUL'],
  ['half a character', '\\ud83d', 'half a character'],
  ['half a character in upper case', '\\uDC00', 'half a character'],
])('refuses %s in an event from a running Daybook, because no store can keep it', (_, text, message) => {
  const line = eventLine(1).replace('text 1', text)
  expect(() => parseEventLine(7, line)).toThrow(message)
  const name = eventLine(1).replace('"text"', `"${text}"`)
  expect(() => parseEventLine(7, name)).toThrow(message)
})

it('takes texts from a running Daybook that only speak of such escapes', () => {
  const line = eventLine(1).replace('text 1', '\\\\u0000 \\\\ud83d \\ud83d\\ude00')
  expect(parseEventLine(7, line).data).toEqual({ state: { text: '\\u0000 \\ud83d 😀' } })
})
