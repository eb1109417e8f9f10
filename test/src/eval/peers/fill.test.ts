import { describe, expect, it } from 'vitest'
import { fill, takesSeveral, valuesAt } from './fill.ts'

describe('fill', () => {
  it('puts values in place of their names, and keeps their types where they stand alone', () => {
    expect(
      fill(
        { q: '$question', k: '$limit', of: ['top $limit of $group'] },
        { question: 'a?', limit: 5, group: 'g' },
      ),
    ).toEqual({ q: 'a?', k: 5, of: ['top 5 of g'] })
  })

  it('keeps what it does not know, and what a value says', () => {
    expect(fill('$unknown costs $5', { text: 'no' })).toBe('$unknown costs $5')
    expect(fill('say: $text', { text: '$text and $limit', limit: 1 })).toBe('say: $text and $limit')
  })

  it('escapes for an address where told to', () => {
    expect(fill('/find?q=$url:question&n=$limit', { question: 'a & b?', limit: 5 })).toBe(
      '/find?q=a%20%26%20b%3F&n=5',
    )
  })

  it('takes environment variables', () => {
    process.env['EVAL_FILL_TEST'] = 'secret'
    expect(fill({ authorization: 'Bearer $env:EVAL_FILL_TEST' }, {})).toEqual({
      authorization: 'Bearer secret',
    })
    delete process.env['EVAL_FILL_TEST']
  })

  it('repeats a template for each memory', () => {
    const template = { in: '$group', all: { $each: { id: '$id', at: '$group' } } }
    expect(fill(template, { group: 'g' }, [{ id: 'a' }, { id: 'b' }])).toEqual({
      in: 'g',
      all: [
        { id: 'a', at: 'g' },
        { id: 'b', at: 'g' },
      ],
    })
    expect([template, { id: '$id' }].map(takesSeveral)).toEqual([true, false])
  })
})

describe('valuesAt', () => {
  it('follows names and every element', () => {
    const answer = { results: [{ id: 'a', tags: ['x'] }, { id: 'b' }, {}] }
    expect(valuesAt(answer, 'results.*.id')).toEqual(['a', 'b'])
    expect(valuesAt(answer, 'results.*.tags.*')).toEqual(['x'])
    expect(valuesAt(['a', 'b'], '*')).toEqual(['a', 'b'])
    expect(valuesAt('text', '')).toEqual(['text'])
    expect(valuesAt(null, 'results')).toEqual([])
  })
})
