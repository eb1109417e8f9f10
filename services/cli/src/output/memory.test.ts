import { expect, test } from 'vitest'
import { renderSnippet } from './memory.ts'
import { createPainter } from './print.ts'

const plain = createPainter(false)

const coloured = createPainter(true)

test('matches stand out on a terminal and nowhere else', () => {
  const html = 'check the <mark>token</mark> first'
  expect(renderSnippet(html, plain)).toBe('check the token first')
  expect(renderSnippet(html, coloured)).toBe('check the \u001B[33mtoken\u001B[39m first')
})

test('what a memory itself says in HTML is shown as it is', () => {
  const html = '&lt;mark&gt;not a match&lt;/mark&gt; &amp;lt; <mark>&lt;b&gt;</mark>'
  expect(renderSnippet(html, plain)).toBe('<mark>not a match</mark> &lt; <b>')
  expect(renderSnippet(html, coloured)).toContain('\u001B[33m<b>\u001B[39m')
})

test('escape sequences go, also one that a match cuts in two', () => {
  expect(renderSnippet('\u001B[31mred \u001B<mark>[2J</mark>', plain)).not.toContain('\u001B')
  expect(renderSnippet('\u001B[31mred', plain)).toBe('red')
})
