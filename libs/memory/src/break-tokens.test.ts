import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { breakTokens, LONGEST_RUN } from './break-tokens.ts'

const letters = (count: number) => 'x'.repeat(count)

describe('breaking tokens', () => {
  it.each([
    'Always validate the JWT first.',
    'see libs/search/src/retrievers/question-postings.test.ts and https://example.org/a_b?c=d&e=f',
    'snake_case_name, kebab-case-name, first.last@example.org, 1.5e-3, a&amp;b',
    `${letters(LONGEST_RUN - 2)}_y`,
    letters(5_000),
    '記憶の宮殿、'.repeat(10),
  ])('leaves %j as it is', (text) => expect(breakTokens(text)).toBe(text))

  it('takes runs of more than 100 characters apart at what joins them, points and hyphens excepted', () => {
    const run = `${letters(90)}_first_last@example.org/a-b~c`
    expect(breakTokens(`before ${run}\nafter_all`)).toBe(
      `before ${letters(90)} first last example.org a-b c\nafter_all`,
    )
  })

  it('lets no tag begin', () => {
    expect(breakTokens('Map<String, Key> <!-- why -->')).toBe('Map String, Key>  !-- why -->')
  })

  it('keeps the joiners where it is told how', () => {
    const run = `a_${letters(LONGEST_RUN)}<b`
    expect(breakTokens(run, (joiner) => `${joiner}|`)).toBe(`a_|${letters(LONGEST_RUN)}<|b`)
  })

  it('changes nothing a second time, and no length', () => {
    const unit = fc.constantFrom('a', '_', '@', '/', '~', '<', '.', '-', ' ', 'é', '\u0301', '記', '\u3000')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 500 }), (text) => {
        const broken = breakTokens(text)
        expect(broken).toHaveLength(text.length)
        expect(breakTokens(broken)).toBe(broken)
      }),
    )
  })
})
