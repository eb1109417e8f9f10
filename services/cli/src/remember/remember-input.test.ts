import { KIND_NAMES, type KindName } from '@daybook/memory/kinds/index'
import { describe, expect, test } from 'vitest'
import { UsageError } from '../command-line.ts'
import { kindOptions, type RevisionOptions, reviseInput, toRememberInput } from './remember-input.ts'

const note = kindOptions('note')

describe('the request of a command line', () => {
  test('holds what was given, and nothing else', () => {
    expect(toRememberInput('note', note, { text: 'hello' }, {})).toEqual({
      content: { note: { text: 'hello' } },
    })
  })

  test('has the common options under their names in the API', () => {
    const common = {
      label: ['a', 'b'],
      category: ['person'],
      importance: 0,
      context: 'repo',
      agent: 'me',
      metadata: '{"ticket": 42}',
      occurredAt: '2026-11-21T00:00:00.000Z',
      expiresAt: '2027-11-21T00:00:00.000Z',
      supersedes: 'note:1',
      onExisting: 'keep-both',
      idempotencyKey: 'k',
    }
    expect(toRememberInput('note', note, { text: 'hello' }, common)).toEqual({
      content: { note: { text: 'hello' } },
      labels: ['a', 'b'],
      categories: ['person'],
      importance: 0,
      context: 'repo',
      agent: 'me',
      metadata: { ticket: 42 },
      occurredAt: '2026-11-21T00:00:00.000Z',
      expiresAt: '2027-11-21T00:00:00.000Z',
      supersedes: 'note:1',
      onExisting: 'KEEP_BOTH',
      idempotencyKey: 'k',
    })
  })

  test('spells a choice as the API does', () => {
    const input = toRememberInput('session', kindOptions('session'), { summary: 's', status: 'closed' }, {})
    expect(input.content).toEqual({ session: { summary: 's', status: 'CLOSED' } })
  })

  test('names the option that is missing', () => {
    const stash = kindOptions('stash')
    expect(() => toRememberInput('stash', stash, { summary: 's' }, {})).toThrow('--name is missing')
    expect(() => toRememberInput('stash', stash, { name: 'n' }, {})).toThrow('What to remember is missing')
  })

  test.each(['{', '[1]', 'null', '"text"'])('takes no metadata like %s', (metadata) => {
    expect(() => toRememberInput('note', note, { text: 'x' }, { metadata })).toThrow(UsageError)
  })
})

const decision = (text: string | null, given: RevisionOptions = {}) =>
  reviseInput('decision', kindOptions('decision'), text, given)

describe('a revision from the command line', () => {
  test('names only what was given; the text is the main field', () => {
    expect(decision('take NATS', { importance: 9, label: ['a'] })).toEqual({
      importance: 9,
      labels: ['a'],
      content: { decision: { decision: 'take NATS' } },
    })
    expect(decision(null)).toEqual({})
  })

  test('sets fields of the kind, also with = in the value, lists item by item, and choices as the API spells them', () => {
    expect(decision(null, { set: ['reasoning=a=b'] })).toEqual({
      content: { decision: { reasoning: 'a=b' } },
    })
    const stash = reviseInput('stash', kindOptions('stash'), null, { set: ['file=a.ts', 'file=b.ts'] })
    expect(stash).toEqual({ content: { stash: { files: ['a.ts', 'b.ts'] } } })
    const session = reviseInput('session', kindOptions('session'), null, { set: ['status=closed'] })
    expect(session).toEqual({ content: { session: { status: 'CLOSED' } } })
  })

  test('empties fields of the kind and common ones', () => {
    expect(decision(null, { clear: ['reasoning', 'context', 'label'] })).toEqual({
      context: null,
      labels: null,
      content: { decision: { reasoning: null } },
    })
  })

  test('a field that the kind does not have, and one without a value, are refused by name', () => {
    expect(() => decision(null, { set: ['colour=red'] })).toThrow('A decision has no field "colour"')
    expect(() => decision(null, { clear: ['colour'] })).toThrow('A decision has no field "colour"')
    expect(() => decision(null, { set: ['reasoning'] })).toThrow('--set reasoning has no value')
  })
})

const MAIN: Readonly<Record<KindName, string>> = {
  stash: 'summary',
  insight: 'content',
  decision: 'decision',
  learning: 'correctPattern',
  error: 'message',
  session: 'summary',
  todo: 'description',
  note: 'text',
  fact: 'summary',
  document: 'content',
  entity: 'content',
}

test.each(KIND_NAMES)('the text of a %s is its main field', (kind) => {
  expect(
    kindOptions(kind)
      .filter(({ main }) => main)
      .map(({ field }) => field),
  ).toEqual([MAIN[kind]])
})

const flags = (kind: KindName) => kindOptions(kind).map(({ flag }) => flag)

test('lists are given one by one, and names are in kebab case', () => {
  expect(flags('stash')).toEqual(['name', 'summary', 'file'])
  expect(flags('session')).toEqual(['summary', 'key-change', 'status'])
  expect(flags('error')).toEqual(['message', 'root-cause', 'fix'])
})

test('a field that is called as one of all memories gets a name of its own', () => {
  expect(kindOptions('todo').find(({ field }) => field === 'context')?.flag).toBe('context-text')
  expect(kindOptions('learning').find(({ field }) => field === 'context')?.flag).toBe('context-text')
})
