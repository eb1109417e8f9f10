import { describe, expect, it } from 'vitest'
import { exactNames, wordParts } from './word-parts.ts'

describe('parts of names', () => {
  it.each([
    ['useAuthStore', ['use', 'Auth', 'Store', 'useAuth', 'AuthStore']],
    ['HTTPServer', ['HTTP', 'Server']],
    ['LaunchDarkly', ['Launch', 'Darkly']],
    ['new-checkout-v2', ['newcheckout', 'v2', 'newcheckoutv', 'checkoutv2', 'newcheckoutv2']],
    ['user_id', ['userid']],
    ['B-12', ['B12']],
    ['ER34615', ['ER', '34615']],
    ['src/auth/store.ts', ['src', 'auth', 'store', 'ts']],
    ['ann@example.com', ['ann', 'example', 'com']],
    ['0ab12cd34ef56', []],
    ['i-0ab12cd34ef56', ['i0ab12cd34ef56']],
    ['plain words, of course.', []],
    ['2026-11-17 and 10.4.3.13', []],
    ['1,250 EUR, 1.250 €, 12’500.50 and 3.14', ['1250', '1250', '12500']],
    ['a-b-c-d-e-f-g-h-i', []],
    ['x'.repeat(50) + '-y', []],
  ])('of %s', (text, parts) => {
    expect(
      wordParts(text, true)
        .split(' ')
        .filter((word) => word !== ''),
    ).toEqual(parts)
  })

  it('a question asks for what it says, not for the half of it', () => {
    expect(wordParts('useAuthStore in new-checkout-v2', false)).toBe('use Auth Store newcheckoutv2')
    expect(wordParts('ER34615, test12 and newCheckoutV2', false)).toBe('new Checkout V2')
  })

  it('takes linear time', () => {
    for (const text of ['a-', 'A', 'a1', '1,000', 'aB/', '1,', "1'"]) {
      const started = process.cpuUsage().user
      wordParts(text.repeat(20_000), true)
      const half = process.cpuUsage().user
      wordParts(text.repeat(80_000), true)
      expect(process.cpuUsage().user - half).toBeLessThan(16 * Math.max(half - started, 20_000))
    }
  })
})

describe('names that are spelled exactly', () => {
  it.each([
    ['Which address does edge-lon-02 have?', ['edgelon02']],
    ['calibration of P-9', ['p9']],
    ['release 2.16.0.', ['2.16.0']],
    ['--no-verify and user_id', ['noverify', 'userid']],
    ['well-known words, 2026-11-17, 3.14 and 1250', []],
    ['0ab12cd may be the beginning of an id', []],
  ])('in %j', (question, names) => {
    expect(exactNames(question)).toEqual(names)
  })
})
