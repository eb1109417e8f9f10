import { expect, test } from 'vitest'
import { isCode, matchesIn, type Piece, piecesOf, withoutRepeats } from './matches.ts'

/** Pieces as one text, with the matches in brackets. */
const shown = (pieces: readonly Piece[]) =>
  pieces.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('')

const split = (title: string, snippet: string) => {
  const { title: own, rest } = withoutRepeats(title, piecesOf(snippet))
  return [shown(own), shown(rest)]
}

test('a snippet is text and marks, whatever a memory holds', () => {
  expect(piecesOf('a &lt;b&gt; <mark>&amp;lt;</mark>')).toEqual([
    { text: 'a <b> ', isMatch: false },
    { text: '&lt;', isMatch: true },
  ])
})

test('what the title says is not said again', () => {
  expect(split('Bake the bread', 'Bake the <mark>bread</mark>')).toEqual(['Bake the [bread]', ''])
  expect(split('jwt-validation', 'jwt-validation Always check a <mark>token</mark>')).toEqual([
    'jwt-validation',
    'Always check a [token]',
  ])
  expect(split('database: Postgres', '<mark>database</mark> Postgres One backup')).toEqual([
    '[database]: Postgres',
    'One backup',
  ])
  expect(split('The long story of a tok…', 'story of a <mark>token</mark>. And more')).toEqual([
    'The long story of a [tok]…',
    '[token]. And more',
  ])
  expect(split('Use one clock everywhere', 'Several clocks. Use one clock <mark>everywhere</mark>')).toEqual([
    'Use one clock [everywhere]',
    'Several clocks. ',
  ])
})

test('other words stay, also those that the title has by chance', () => {
  expect(split('token', 'Always check a <mark>token</mark> first')).toEqual([
    'token',
    'Always check a [token] first',
  ])
  expect(split('Bread', 'Flour and <mark>yeast</mark>')).toEqual(['Bread', 'Flour and [yeast]'])
})

test('a text is marked where the snippet is from', () => {
  const { pieces, anchor } = matchesIn(
    'a token here\nthen: token rejected, expired',
    piecesOf('<mark>token</mark> rejected expired'),
  )
  expect(shown(pieces)).toBe('a [token] here\nthen: [token] rejected, expired')
  expect(anchor).toBe(3)
  expect(matchesIn('nothing', []).anchor).toBe(-1)
})

test('logs and code are told from sentences', () => {
  for (const code of [
    '10:04:11 INFO started\n10:04:12 DEBUG applied 3 events',
    'TypeError: x is undefined\n    at verify (/srv/verify.ts:41:13)\n    at main (/srv/main.ts:2:1)',
    'function f(a) {\n  return a === 1;\n}',
    'def f(a):\n    return a + 1',
    '2026-11-22T00:00:00Z is past at verify (/srv/verify.ts:41:13) at',
  ])
    expect([code, isCode(code)]).toEqual([code, true])
  for (const text of [
    'Maria prefers short pull requests: one change each; with a test that fails without it.',
    'Meet at 10:04:11.\n\nBring:\n- bread\n- flour (two bags)',
    'The staging database is restored from production every Monday at 06:00 UTC.',
  ])
    expect([text, isCode(text)]).toEqual([text, false])
})
