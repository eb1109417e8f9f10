import { describe, expect, test } from 'vitest'
import { kindOptions } from './kind-options.ts'
import { type RevisionOptions, reviseInput } from './revise-input.ts'

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
