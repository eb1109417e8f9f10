import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

describe('canonical JSON', () => {
  it('is as RFC 8785 shows it', () => {
    // The examples of its sections 3.2.2 and 3.2.3.
    const numbers = [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0]
    const string = '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/'
    expect(canonicalJson({ numbers, string, literals: [null, true, false] })).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6']
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33']
    const value = Object.fromEntries(keys.map((key) => [key, 0]))
    expect(canonicalJson(value)).toBe(`{${sorted.map((key) => `${JSON.stringify(key)}:0`).join(',')}}`)
  })

  it('orders keys that look like numbers as text', () => {
    expect(canonicalJson({ 2: 0, 10: 0, $: 0, '-1': 0 })).toBe('{"$":0,"-1":0,"10":0,"2":0}')
  })

  it('is the same for a value and for what JSON makes of it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = JSON.stringify(value)
        expect(canonicalJson(value)).toBe(canonicalJson(JSON.parse(text)))
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(text))
      }),
    )
    expect(canonicalJson({ there: 1, not: undefined })).toBe('{"there":1}')
    expect(canonicalJson(JSON.parse('{"__proto__":1,"toJSON":2}'))).toBe('{"__proto__":1,"toJSON":2}')
  })

  it('refuses what has no spelling', () => {
    for (const value of [undefined, Number.NaN, JSON.parse('1e400'), '\ud800', ['\udc00']])
      expect(() => canonicalJson(value)).toThrow(/JSON/u)
  })
})
