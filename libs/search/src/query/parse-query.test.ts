import { anyCharacter } from '@daybook/memory/testing/any-character'
import { isInProportion } from '@daybook/runtime/testing/growth'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEMANDED_CHARACTERS, DEMANDED_MOST, parseQuery } from './parse-query.ts'
import { type Alternative, isEmpty } from './query.ts'

const word = (text: string): Alternative => ({ type: 'word', text })
const phrase = (text: string): Alternative => ({ type: 'phrase', text })

describe('words', () => {
  it('are wanted, in order, and required by nothing', () => {
    expect(parseQuery('login red car')).toEqual({ wanted: 'login red car', required: [], excluded: [] })
  })

  it.each([
    [
      '  tab\tnew\nline\r\nnul\0bell\u0007nbsp\u00a0zero\u200bwidth ',
      'tab new line nul bell nbsp zero width',
    ],
    ['jwt-validation e-mail', 'jwt-validation e-mail'],
    ['ends- here-', 'ends- here-'],
    ["don't 'quote' l’été", "don't 'quote' l’été"],
    ['git push --force', 'git push --force'],
    ['- -- --- a - b', 'a b'],
    ['what ? !! ...', 'what'],
    ['C++ C# 🎉 記憶', 'C++ C# 🎉 記憶'],
    ['lone \ud800 surrogate \udc00', 'lone surrogate'],
    ['or Or oR', 'or Or oR'],
  ])('%j wants %j', (query, wanted) => {
    expect(parseQuery(query)).toEqual({ wanted, required: [], excluded: [] })
  })
})

describe('phrases', () => {
  it.each([
    ['login "red car"', 'login red car', [[phrase('red car')]]],
    ['"red"', 'red', [[phrase('red')]]],
    ['"a b" "c d"', 'a b c d', [[phrase('a b')], [phrase('c d')]]],
    ['"a  b\n\0c "', 'a b c', [[phrase('a b c')]]],
    [
      '“red car” „blue car“ «green car»',
      'red car blue car green car',
      [[phrase('red car')], [phrase('blue car')], [phrase('green car')]],
    ],
    ['("red car")', 'red car', [[phrase('red car')]]],
    ['"jwt-validation -x OR y"', 'jwt-validation -x OR y', [[phrase('jwt-validation -x OR y')]]],
    ['"OR"', 'OR', [[phrase('OR')]]],
    ['"a b"c', 'a b c', [[phrase('a b')]]],
    ['"" " " "--" a', 'a', []],
  ])('%j', (query, wanted, required) => {
    expect(parseQuery(query)).toEqual({ wanted, required, excluded: [] })
  })

  it.each([
    ['"red car', 'red car', []],
    ['red car"', 'red car', []],
    ['red "', 'red', []],
    ['foo"bar', 'foo bar', []],
    ['5" and 6" pipes', '5 and 6 pipes', []],
    ['"a b" "c d', 'a b c d', [[phrase('a b')]]],
  ])('%j has a quote without a partner, whose words are words', (query, wanted, required) => {
    expect(parseQuery(query)).toEqual({ wanted, required, excluded: [] })
  })
})

describe('questions', () => {
  it.each([
    ['What is "Little Women" about?', 'What is Little Women about?'],
    ['Who read "Emma" OR "Persuasion" ? ', 'Who read Emma Persuasion'],
  ])('%j quotes a title and requires nothing', (query, wanted) => {
    expect(parseQuery(query)).toEqual({ wanted, required: [], excluded: [] })
  })

  it('still leave out what they exclude', () => {
    expect(parseQuery('who read "Emma" -film?').excluded).toEqual([word('film?')])
  })
})

describe('exclusions', () => {
  it.each([
    ['car -red', 'car', [], [word('red')]],
    ['-red car', 'car', [], [word('red')]],
    ['car -"light red" -blue', 'car', [], [phrase('light red'), word('blue')]],
    ['car -jwt-validation', 'car', [], [word('jwt-validation')]],
    ['car -“light red”', 'car', [], [phrase('light red')]],
    ['car -"light red', 'car red', [], [word('light')]],
    ['car - red', 'car red', [], []],
    ['car -"" -? -', 'car', [], []],
    ['car -OR bike', 'car bike', [], [word('OR')]],
    ['"a b" -"c d" "e f"', 'a b e f', [[phrase('a b')], [phrase('e f')]], [phrase('c d')]],
  ])('%j', (query, wanted, required, excluded) => {
    expect(parseQuery(query)).toEqual({ wanted, required, excluded })
  })
})

describe('OR', () => {
  it.each([
    ['cats OR dogs', 'cats dogs', []],
    ['"a b" OR "c d"', 'a b c d', [[phrase('a b'), phrase('c d')]]],
    ['apple OR "red car"', 'apple red car', [[word('apple'), phrase('red car')]]],
    ['"red car" OR apple OR pear', 'red car apple pear', [[phrase('red car'), word('apple'), word('pear')]]],
    ['big apple OR "red car" fast', 'big apple red car fast', [[word('apple'), phrase('red car')]]],
    ['"a b" OR "c d" "e f"', 'a b c d e f', [[phrase('a b'), phrase('c d')], [phrase('e f')]]],
    ['("a b" OR ("c d"))', 'a b c d', [[phrase('a b'), phrase('c d')]]],
    ['"a b" OR OR "c d"', 'a b c d', [[phrase('a b'), phrase('c d')]]],
    ['"a b" OR "" "c d"', 'a b c d', [[phrase('a b'), phrase('c d')]]],
    ['OR "a b" OR', 'a b', [[phrase('a b')]]],
    ['OR', '', []],
    ['"a b" or "c d"', 'a b or c d', [[phrase('a b')], [phrase('c d')]]],
  ])('%j', (query, wanted, required) => {
    expect(parseQuery(query)).toEqual({ wanted, required, excluded: [] })
  })

  it('joins nothing beside an exclusion, which excludes all the same', () => {
    const required = [[phrase('a b')], [phrase('d e')]]
    const excluded = [word('c')]
    expect(parseQuery('"a b" OR -c "d e"')).toEqual({ wanted: 'a b d e', required, excluded })
    expect(parseQuery('"a b" OR -c OR "d e"')).toEqual({ wanted: 'a b d e', required, excluded })
  })
})

const together = (required: Alternative[][], excluded: Alternative[] = []): Alternative => ({
  type: 'group',
  required,
  excluded,
})
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(word) as [Alternative, Alternative, Alternative, Alternative]

describe('AND, NOT and parentheses (capability 10)', () => {
  it.each<[string, string, Alternative[][], Alternative[]]>([
    ['a NOT b', 'a', [], [b]],
    ['a NOT "b c"', 'a', [], [phrase('b c')]],
    ['triggers NOT session', 'triggers', [], [word('session')]],
    ['NOT NOT a', 'a', [], []],
    ['a AND b', 'a b', [[a], [b]], []],
    ['a AND b c', 'a b c', [[a], [b]], []],
    ['a AND "b c" AND d', 'a b c d', [[a], [phrase('b c')], [d]], []],
    ['a AND NOT b', 'a', [[a]], [b]],
    ['a AND -b', 'a', [[a]], [b]],
    ['a AND b OR c', 'a b c', [[together([[a], [b]]), c]], []],
    ['a OR b AND c', 'a b c', [[a, together([[b], [c]])]], []],
    ['a AND (b OR c)', 'a b c', [[a], [b, c]], []],
    [
      '(a OR b) AND (c d)',
      'a b c d',
      [
        [a, b],
        [c, d],
      ],
      [],
    ],
    ['(a AND b) OR (c AND d)', 'a b c d', [[together([[a], [b]]), together([[c], [d]])]], []],
    ['(a AND NOT b) OR c', 'a c', [[together([[a]], [b]), c]], []],
    ['a NOT (b OR c)', 'a', [], [b, c]],
    ['a -(b AND c)', 'a', [], [together([[b], [c]])]],
    ['((a) AND ((b)))', 'a b', [[a], [b]], []],
    ['a OR (b c)', 'a b c', [], []],
    ['"a" OR f(b)', 'a f(b)', [[phrase('a'), word('f(b)')]], []],
  ])('%j', (query, wanted, required, excluded) => {
    expect(parseQuery(query)).toEqual({ wanted, required, excluded })
  })

  it.each([
    ['a AND', 'a'],
    ['AND a', 'a'],
    ['a AND AND b', 'a b', [[a], [b]]],
    ['a NOT', 'a'],
    ['a NOT OR b', 'a b'],
    ['a AND ()', 'a'],
    ['(a AND b', 'a b', [[a], [b]]],
    ['a) AND (b', 'a b', [[a], [b]]],
    ['a and b not c', 'a and b not c'],
    ['the server (in Bern)', 'the server (in Bern)'],
    ['What is "a b" AND c?', 'What is a b c?', [[phrase('a b')], [word('c?')]]],
  ])('%j is tolerated', (query, wanted, required: Alternative[][] = []) => {
    expect(parseQuery(query)).toEqual({ wanted, required, excluded: [] })
  })
})

describe('a flag of a command line is a word', () => {
  it.each([
    ['why do we compile with -fno-plt', 'why do we compile with -fno-plt'],
    ['compile with -static', 'compile with -static'],
    ['the option -pedantic', 'the option -pedantic'],
    ['JVM -Xmx512m', 'JVM -Xmx512m'],
    ['-Xmx512m', '-Xmx512m'],
    ['chmod -R shared volume', 'chmod -R shared volume'],
    ['curl -k', 'curl -k'],
    ['rm -rf', 'rm -rf'],
    ['tar -xzf', 'tar -xzf'],
    ['node -e', 'node -e'],
    ['gcc -DDEBUG=1', 'gcc -DDEBUG=1'],
  ])('%j', (query, wanted) => {
    expect(parseQuery(query)).toEqual({ wanted, required: [], excluded: [] })
  })

  it.each(['car -red', 'car -jwt-validation', 'car AND -b', 'car -OR', 'car -"Xmx512m"'])(
    'and other words after a hyphen are left out: %j',
    (query) => {
      expect(parseQuery(query).excluded).toHaveLength(1)
    },
  )
})

describe('a query that demands too much', () => {
  const many = (piece: (index: number) => string, joint = ' ') =>
    Array.from({ length: 10 }, (_, index) => piece(index)).join(joint)

  it('demands its first eight phrases, and the others are words', () => {
    const { wanted, required, tooMany } = parseQuery(many((index) => `"a${index} b"`))
    expect(required).toEqual(Array.from({ length: 8 }, (_, index) => [phrase(`a${index} b`)]))
    expect(wanted).toBe(many((index) => `a${index} b`))
    expect(tooMany).toBe(2)
  })

  it('leaves its first eight exclusions out, and the others are words', () => {
    const { wanted, excluded, tooMany } = parseQuery(`z ${many((index) => `-${'a'.repeat(index + 2)}`)}`)
    expect(excluded).toHaveLength(8)
    expect(wanted).toBe(`z ${'a'.repeat(10)} ${'a'.repeat(11)}`)
    expect(tooMany).toBe(2)
  })

  it('demands and leaves out once what the query says again and again', () => {
    const { wanted, required, excluded, tooMany } = parseQuery('z "a b" -red '.repeat(50))
    expect({ required, excluded, tooMany }).toEqual({ required: [[phrase('a b')]], excluded: [word('red')] })
    expect(wanted.split(' ')).not.toContain('red')
  })

  it('counts phrases and exclusions together, in the order of the query', () => {
    const { required, excluded, tooMany } = parseQuery(`-zoo ${many((index) => `"a${index}"`)} -you`)
    expect([required.length, excluded, tooMany]).toEqual([7, [word('zoo')], 4])
  })

  it('demands no group in part, as what is left of it would demand more', () => {
    expect(parseQuery(many((index) => `"a${index}"`, ' OR '))).toMatchObject({ required: [], tooMany: 10 })
    expect(parseQuery(`z -(${many((index) => `a${index}`, ' AND ')})`)).toMatchObject({
      excluded: [],
      tooMany: 10,
    })
  })

  it.each(['"', '-"', 'x AND "'])('makes a term of 257 characters words: %s', (before) => {
    const long = 'ab '.repeat(85) + 'ab'
    expect(long).toHaveLength(257)
    expect(parseQuery(`z ${before}${long}" y`)).toMatchObject({ excluded: [], tooMany: 1 })
    expect(parseQuery(`z ${before}${long.slice(1)}" y`)).not.toHaveProperty('tooMany')
  })
})

describe('isEmpty', () => {
  it.each([
    '',
    '   ',
    '\0\t\n',
    '""',
    '-',
    '--',
    '?!',
    'OR',
    'NOT',
    'NOT AND (OR)',
    '-red',
    '-"red car" -blue',
  ])('%j wants nothing', (query) => {
    expect(isEmpty(parseQuery(query))).toBe(true)
  })

  it.each(['a', '"a"', 'a -b', '7', '🎉'])('%j wants something', (query) => {
    expect(isEmpty(parseQuery(query))).toBe(false)
  })
})

const termsOf = (one: Alternative): Extract<Alternative, { readonly text: string }>[] =>
  one.type === 'group' ? [...one.required.flat(), ...one.excluded].flatMap(termsOf) : [one]

describe('any string', () => {
  const syntax = fc.string({
    unit: fc.constantFrom(
      'a',
      'B',
      '-',
      '"',
      '“',
      ' ',
      'OR',
      ' OR ',
      ' AND ',
      ' NOT ',
      '(',
      ')',
      '\0',
      '\ud800',
      'é',
      "'",
    ),
    maxLength: 60,
  })

  it('is parsed into clean text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), syntax), (text) => {
        const { wanted, required, excluded } = parseQuery(text)
        const terms = [...required.flat(), ...excluded].flatMap(termsOf)
        for (const clean of [wanted, ...terms.map((each) => each.text)]) {
          expect(clean).not.toMatch(/["“”\p{Cc}\p{Cs}]/u)
          expect(clean).toBe(clean.trim())
        }
        expect(required.every((group) => group.length > 0)).toBe(true)
        expect(terms.every((each) => each.text !== '')).toBe(true)
        expect(terms.length).toBeLessThanOrEqual(DEMANDED_MOST)
        expect(terms.every((each) => each.text.length <= DEMANDED_CHARACTERS)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    '"',
    '-"',
    '("',
    'a" ',
    '-',
    '- ',
    ' ',
    'OR ',
    'NOT ',
    'ab ',
    '"a b" OR ',
    'a AND ',
    '-(',
    'a OR (b AND ',
    '(',
    ') ',
    '“',
    'x',
    '\0',
    '-"" ',
  ])('of 100 KB made of %j takes linear time', async (piece) => {
    const text = piece.repeat(Math.ceil(100_000 / piece.length))
    expect(await isInProportion(parseQuery, text)).toBe(true)
  })
})
