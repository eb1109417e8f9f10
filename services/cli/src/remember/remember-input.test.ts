import { describe, expect, test } from 'vitest'
import { UsageError } from '../cli-error.ts'
import { kindOptions } from './kind-options.ts'
import { toRememberInput } from './remember-input.ts'

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
