import { describe, expect, it } from 'vitest'
import type { CommonInput } from './commands.ts'
import { decide } from './decide.ts'
import { ValidationError } from './errors.ts'
import type { MemoryState } from './state.ts'

const NOW = '2026-05-01T12:00:00.000Z'

function remember(input: CommonInput, now = NOW): MemoryState {
  const command = {
    type: 'remember',
    id: '01920000-0000-7000-8000-000000000001',
    input: { content: { kind: 'note', fields: { text: 'a' } }, ...input },
  } as const
  const event = decide(command, { memory: null, earlier: null, now })
  if (event === null) throw new Error('nothing was remembered')
  return event.data.state
}

function refusal(input: CommonInput): ValidationError {
  try {
    remember(input)
  } catch (error) {
    if (error instanceof ValidationError) return error
    throw error
  }
  throw new Error('it was accepted')
}

const many = (count: number) => Array.from({ length: count }, (_, index) => `label ${index}`)
/** A metadata object whose JSON has exactly that many bytes. */
const metadataOf = (size: number) => ({ text: 'x'.repeat(size - '{"text":""}'.length) })
const nested = (depth: number): unknown => (depth === 0 ? 'x' : { a: nested(depth - 1) })

describe.each(['labels', 'categories'] as const)('%s', (name) => {
  it('are at most 32 of at most 64 characters', () => {
    expect(remember({ [name]: many(32) })[name]).toEqual(many(32))
    expect(refusal({ [name]: many(33) })).toMatchObject({
      field: name,
      message: `${name} has too many ${name}: the limit is 32`,
    })
    expect(remember({ [name]: ['😀'.repeat(64)] })[name]).toEqual(['😀'.repeat(64)])
    expect(refusal({ [name]: ['a', 'x'.repeat(65)] })).toMatchObject({
      field: `${name}.1`,
      message: `${name}.1 is too long: the limit is 64 characters, and it has 65`,
    })
  })

  it('are kept once each, in the order given', () => {
    expect(remember({ [name]: ['b', 'a', 'b'] })[name]).toEqual(['b', 'a'])
  })

  it.each([
    ['text', 'a', name],
    ['an object', {}, name],
    ['a blank item', [' '], `${name}.0`],
    ['an item with NUL', ['a\u0000'], `${name}.0`],
    ['a lone surrogate', ['\uDC00'], `${name}.0`],
    ['a number in the list', [1], `${name}.0`],
  ])('refuse %s', (_, value, field) => {
    expect(refusal({ [name]: value }).field).toBe(field)
  })
})

describe.each(['agent', 'context'] as const)('%s', (name) => {
  it('holds 255 characters and not 256', () => {
    expect(remember({ [name]: '😀'.repeat(255) })[name]).toBe('😀'.repeat(255))
    expect(refusal({ [name]: 'x'.repeat(256) }).message).toBe(
      `${name} is too long: the limit is 255 characters, and it has 256`,
    )
  })

  it.each([undefined, null, '', '  '])('%j means none', (value) => {
    expect(remember({ [name]: value })[name]).toBeNull()
  })

  it.each(['\u0000', 'a\uD800', 5, ['a']])('refuses %j', (value) => {
    expect(refusal({ [name]: value }).field).toBe(name)
  })
})

describe('importance', () => {
  it('is 5 unless given, and 0 to 10', () => {
    expect(remember({}).importance).toBe(5)
    expect(remember({ importance: 0 }).importance).toBe(0)
    expect(remember({ importance: 10 }).importance).toBe(10)
  })

  it('is never the -0 that JSON does not know', () => {
    expect(Object.is(remember({ importance: -0 }).importance, 0)).toBe(true)
  })

  it.each([-1, 11, 2.5, Number.NaN, Number.POSITIVE_INFINITY, '5', true, [5]])('refuses %j', (value) => {
    expect(refusal({ importance: value }).field).toBe('importance')
  })
})

describe('metadata', () => {
  it('holds 16 KiB of JSON and not a byte more', () => {
    expect(remember({ metadata: metadataOf(16 * 1024) }).metadata).toEqual(metadataOf(16 * 1024))
    expect(refusal({ metadata: metadataOf(16 * 1024 + 1) })).toMatchObject({
      field: 'metadata',
      message: 'metadata is too long: the limit is 16 KiB (16,384 bytes) of JSON, and it has 16,385 bytes',
    })
    expect(refusal({ metadata: { text: 'é'.repeat(8 * 1024) } }).field).toBe('metadata')
  })

  it('is nested 32 deep and not deeper', () => {
    expect(remember({ metadata: nested(32) }).metadata).toEqual(nested(32))
    expect(refusal({ metadata: nested(33) }).message).toBe('metadata is nested too deeply: the limit is 32')
    const circular: Record<string, unknown> = {}
    circular.self = circular
    expect(refusal({ metadata: circular }).field).toBe('metadata')
  })

  it('keeps any JSON, an own __proto__ included', () => {
    const given = JSON.parse('{"__proto__": {"a": 1}, "n": [null, true, 1.5, {"": "x"}]}')
    expect(JSON.stringify(remember({ metadata: given }).metadata)).toBe(JSON.stringify(given))
  })

  it.each([
    ['text', '{}'],
    ['a list', []],
    ['a number', 1],
    ['NUL in a value', { a: ['x\u0000'] }],
    ['NUL in a name', { 'x\u0000': 1 }],
    ['a lone surrogate in a value', { a: { b: '\uD800' } }],
    ['a lone surrogate in a name', { '\uD800': 1 }],
    ['a number that is not finite', { a: Number.NaN }],
    ['a function', { a: () => {} }],
    ['a bigint', { a: 1n }],
    ['undefined', { a: undefined }],
  ])('refuses %s', (_, value) => {
    expect(refusal({ metadata: value }).field).toBe('metadata')
  })
})

describe.each(['occurredAt', 'expiresAt'] as const)('%s', (name) => {
  it.each([
    ['2026-05-01T12:00:00Z', '2026-05-01T12:00:00.000Z'],
    ['2026-05-01T14:30:00.5+02:30', '2026-05-01T12:00:00.500Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    [new Date('2026-05-01T12:00:00Z'), '2026-05-01T12:00:00.000Z'],
  ])('takes %s and keeps it in UTC', (given, kept) => {
    // What has passed would be refused as an expiry.
    expect(remember({ [name]: given }, '0000-12-31T12:00:00.000Z')[name]).toBe(kept)
  })

  it.each([
    'tomorrow',
    '2026-05-01',
    '2026-05-01T12:00:00',
    '2026-02-30T12:00:00Z',
    '2026-05-01T25:00:00Z',
    '0000-12-31T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+12026-05-01T12:00:00Z',
    1_777_636_800_000,
    new Date('never'),
    {},
  ])('refuses %s', (given) => {
    expect(refusal({ [name]: given }).field).toBe(name)
  })
})
