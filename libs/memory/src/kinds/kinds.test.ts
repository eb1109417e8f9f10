import { describe, expect, it } from 'vitest'
import { checkContent, reviseContent } from '../content.ts'
import { ValidationError } from '../errors.ts'
import { KIND_NAMES, type KindName, kindNamed } from './index.ts'
import { MEMORY_FIELD_NAMES, nameInMemory } from './name-in-memory.ts'

/** The fields that hold a key, name or topic; every other string is a text. */
const NAMES = new Set([
  'stash.name',
  'insight.key',
  'decision.topic',
  'learning.severity',
  'document.title',
  'document.externalId',
  'entity.name',
  'entity.type',
])

const EMOJI = '😀'
const KIB = 1024

/** A value that each field accepts. */
function sample(kind: KindName, field: string): unknown {
  const { shape } = kindNamed(kind).fields[field] ?? {}
  if (shape === 'string') return `a ${field}`
  if (shape === 'strings') return ['one', 'two']
  if (shape === 'moment') return '2026-05-01T12:00:00Z'
  return shape?.[0]
}

const requiredFields = (kind: KindName) =>
  Object.fromEntries(
    Object.entries(kindNamed(kind).fields)
      .filter(([, field]) => field.required)
      .map(([name]) => [name, sample(kind, name)]),
  )

const accept = (kind: KindName, field: string, value: unknown) =>
  checkContent({ kind, fields: { ...requiredFields(kind), [field]: value } }).content[field]

function refusal(kind: string, fields: Record<string, unknown>): ValidationError {
  try {
    checkContent({ kind, fields })
  } catch (error) {
    if (error instanceof ValidationError) return error
    throw error
  }
  throw new Error(`${kind} accepted ${JSON.stringify(fields).slice(0, 200)}`)
}

const refuse = (kind: KindName, field: string, value: unknown) =>
  refusal(kind, { ...requiredFields(kind), [field]: value })

describe.each(KIND_NAMES)('the names of the fields of %s in a memory', (kind) => {
  const definition = kindNamed(kind)
  const fields = Object.keys(definition.fields)

  it('are told apart, from each other and from what every memory has', () => {
    const names = fields
      .filter((field) => !definition.sameInMemory.includes(field))
      .map((field) => nameInMemory(definition, field))
    expect(new Set([...names, ...MEMORY_FIELD_NAMES]).size).toBe(names.length + MEMORY_FIELD_NAMES.length)
  })

  it('are those of the memory only where the memory says the same', () => {
    const { content } = checkContent({
      kind,
      fields: Object.fromEntries(fields.map((field) => [field, sample(kind, field)])),
    })
    const memory: Record<string, string | null> = {
      title: definition.title(content),
      text: definition.text(content),
      content: definition.body(content),
    }
    for (const field of definition.sameInMemory) expect(memory[field]).toBe(content[field])
  })
})

const ALL_FIELDS = KIND_NAMES.flatMap((kind) =>
  Object.entries(kindNamed(kind).fields).map(([field, { shape, required }]) => ({
    kind,
    field,
    shape,
    required,
    path: `content.${kind}.${field}`,
    isName: NAMES.has(`${kind}.${field}`),
  })),
)
const STRINGS = ALL_FIELDS.filter(({ shape }) => shape === 'string')

describe.each(STRINGS.filter(({ isName }) => isName))('$path, a name', ({ kind, field, path }) => {
  it('holds 255 characters and not 256', () => {
    expect(accept(kind, field, 'x'.repeat(255))).toHaveLength(255)
    expect(refuse(kind, field, 'x'.repeat(256))).toMatchObject({
      field: path,
      code: 'VALIDATION',
      message: `${path} is too long: the limit is 255 characters, and it has 256`,
    })
  })

  it('counts an emoji as one character', () => {
    expect(accept(kind, field, EMOJI.repeat(255))).toBe(EMOJI.repeat(255))
    expect(refuse(kind, field, EMOJI.repeat(256)).field).toBe(path)
  })
})

describe.each(STRINGS.filter(({ isName }) => !isName))('$path, a text', ({ kind, field, path }) => {
  it('holds 64 KiB and not a byte more', () => {
    expect(accept(kind, field, 'x'.repeat(64 * KIB))).toHaveLength(64 * KIB)
    expect(refuse(kind, field, 'x'.repeat(64 * KIB + 1))).toMatchObject({
      field: path,
      message: `${path} is too long: the limit is 64 KiB (65,536 bytes) of UTF-8, and it has 65,537 bytes`,
    })
  })

  it('counts bytes of UTF-8', () => {
    expect(accept(kind, field, EMOJI.repeat(16 * KIB))).toBe(EMOJI.repeat(16 * KIB))
    expect(refuse(kind, field, `${EMOJI.repeat(16 * KIB)}x`).field).toBe(path)
    expect(refuse(kind, field, 'é'.repeat(32 * KIB + 1)).field).toBe(path)
  })
})

describe.each(STRINGS)('$path, a string', ({ kind, field, path }) => {
  it('keeps odd but well-formed Unicode as it is', () => {
    const odd = 'a\tb\n\u0001\u200D\uFEFF\uFFFF e\u0301 👩‍👩‍👧'
    expect(accept(kind, field, odd)).toBe(odd)
  })

  it.each([
    ['the NUL character', 'a\u0000b', 'must not contain the NUL character (U+0000)'],
    ['a lone high surrogate', 'a\uD83D', 'must be well-formed Unicode, without unpaired surrogates'],
    ['a lone low surrogate', '\uDE00a', 'must be well-formed Unicode, without unpaired surrogates'],
    ['a number', 7, 'must be a string'],
    ['a list', ['a'], 'must be a string'],
    ['an object', { a: 1 }, 'must be a string'],
    ['a boolean', true, 'must be a string'],
  ])('refuses %s', (_, value, problem) => {
    expect(refuse(kind, field, value)).toMatchObject({ field: path, message: `${path} ${problem}` })
  })
})

describe.each(ALL_FIELDS.filter(({ required }) => required))('$path, required', ({ kind, field, path }) => {
  it.each([undefined, null])('is missed when it is %s', (value) => {
    expect(refuse(kind, field, value)).toMatchObject({ field: path, message: `${path} is required` })
  })

  it('cannot be emptied by a revision', () => {
    const { content } = checkContent({ kind, fields: requiredFields(kind) })
    expect(() => reviseContent(kind, content, { kind, fields: { [field]: null } })).toThrow(
      `${path} is required`,
    )
  })
})

describe.each(ALL_FIELDS.filter(({ required }) => !required))('$path, optional', ({ kind, field }) => {
  it.each([undefined, null])('is left out when it is %s', (value) => {
    expect(
      checkContent({ kind, fields: { ...requiredFields(kind), [field]: value } }).content,
    ).not.toHaveProperty(field)
  })

  it('is emptied by null in a revision and kept when the revision does not name it', () => {
    const fields = { ...requiredFields(kind), [field]: sample(kind, field) }
    const { content } = checkContent({ kind, fields })
    expect(reviseContent(kind, content, { kind, fields: { [field]: null } })).not.toHaveProperty(field)
    expect(reviseContent(kind, content, { kind, fields: { [field]: undefined } })).toEqual(content)
    expect(reviseContent(kind, content, { kind, fields: {} })).toEqual(content)
  })
})

describe.each(ALL_FIELDS.filter(({ shape }) => shape === 'strings'))(
  '$path, a list',
  ({ kind, field, path }) => {
    it('holds 256 items of 1,024 characters and not more', () => {
      const full = Array.from({ length: 256 }, () => EMOJI.repeat(1024))
      expect(accept(kind, field, full)).toEqual(full)
      expect(refuse(kind, field, [...full, 'x'])).toMatchObject({
        field: path,
        message: `${path} has too many items: the limit is 256`,
      })
      expect(refuse(kind, field, ['x', 'x'.repeat(1025)])).toMatchObject({
        field: `${path}.1`,
        message: `${path}.1 is too long: the limit is 1,024 characters, and it has 1,025`,
      })
    })

    it.each([
      ['text', 'one'],
      ['an object', { 0: 'one' }],
      ['a number', 3],
    ])('refuses %s', (_, value) => {
      expect(refuse(kind, field, value).message).toBe(`${path} must be a list of strings`)
    })

    it.each([
      ['a blank item', ['a', ' ']],
      ['an item with NUL', ['a', '\u0000']],
      ['an item with a lone surrogate', ['a', '\uD800']],
      ['an item that is no string', ['a', 1]],
      ['a null item', ['a', null]],
    ])('names the place of %s', (_, value) => {
      expect(refuse(kind, field, value).field).toBe(`${path}.1`)
    })
  },
)

const BLANKS = ['', ' ', '\n\t\u00A0']

it.each(STRINGS.filter(({ required }) => required))('$path must not be blank', ({ kind, field, path }) => {
  for (const blank of BLANKS) expect(refuse(kind, field, blank).message).toBe(`${path} must not be blank`)
})

it.each(STRINGS.filter(({ required }) => !required))('$path is left out when blank', ({ kind, field }) => {
  for (const blank of BLANKS) expect(accept(kind, field, blank)).toBeUndefined()
})

describe('a session', () => {
  it('is active or closed and nothing else', () => {
    expect(accept('session', 'status', 'closed')).toBe('closed')
    expect(refuse('session', 'status', 'open').message).toBe(
      'content.session.status must be one of active, closed',
    )
    expect(refuse('session', 'status', ['active']).field).toBe('content.session.status')
  })
})

describe('a todo', () => {
  it('is resolved at a moment, kept in UTC', () => {
    expect(accept('todo', 'resolvedAt', '2026-05-01T14:00:00.1239+02:00')).toBe('2026-05-01T12:00:00.123Z')
    expect(refuse('todo', 'resolvedAt', 'yesterday').field).toBe('content.todo.resolvedAt')
  })
})

describe.each(KIND_NAMES)('%s', (kind) => {
  it('refuses a field that it does not have and lists those that it has', () => {
    const error = refusal(kind, { ...requiredFields(kind), colour: 'red' })
    expect(error.field).toBe(`content.${kind}.colour`)
    expect(error.message).toContain(Object.keys(kindNamed(kind).fields).join(', '))
  })

  it.each(['constructor', '__proto__', 'toString'])(
    'does not take the inherited word %s for a field',
    (word) => {
      const fields = JSON.parse(JSON.stringify(requiredFields(kind)).replace('{', `{"${word}":"x",`))
      expect(refusal(kind, fields).field).toBe(`content.${kind}.${word}`)
    },
  )

  it('cannot become another kind', () => {
    const { content } = checkContent({ kind, fields: requiredFields(kind) })
    const other = kind === 'note' ? 'todo' : 'note'
    expect(() => reviseContent(kind, content, { kind: other, fields: {} })).toThrow(
      `content is of kind ${other}, but the memory is of kind ${kind}, which cannot change`,
    )
  })

  it('has a title, a searched text and an embedded text with no more than its required fields', () => {
    const content = checkContent({ kind, fields: requiredFields(kind) }).content as never
    const { title, text, embeddedText } = kindNamed(kind)
    for (const made of [title, text, embeddedText]) expect(made(content)).toMatch(/^a \w+/)
  })

  it('is searched by every text that it holds', () => {
    const fields = Object.fromEntries(
      Object.keys(kindNamed(kind).fields).map((name) => [name, sample(kind, name)]),
    )
    const text = kindNamed(kind).text(checkContent({ kind, fields }).content as never)
    const searched = STRINGS.filter((one) => one.kind === kind && one.field !== 'severity')
    expect(searched.filter(({ field }) => !text.includes(`a ${field}`))).toEqual([])
  })
})

describe('an unknown kind', () => {
  it.each(['poem', '', 'Note', 'constructor', '__proto__'])(
    '%j is refused, with the kinds there are',
    (kind) => {
      const error = refusal(kind, { text: 'a' })
      expect(error.field).toBe('content')
      expect(error.message).toContain(`"${kind}"`)
      expect(error.message).toContain(KIND_NAMES.join(', '))
    },
  )

  it('is not repeated at full length', () => {
    expect(refusal('x'.repeat(10_000), {}).message.length).toBeLessThan(300)
  })
})
