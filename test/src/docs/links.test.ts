import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '../support/daemon.ts'

/** What the README may have, in bytes: all of it is read before somebody decides. */
const README_BYTES = 7_168

const docs = readdirSync(join(REPOSITORY, 'docs')).filter((name) => name.endsWith('.md'))
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'examples/README.md',
  'examples/mcp/README.md',
  ...docs.map((name) => `docs/${name}`),
]
const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8')
/** A page without its blocks of code, where a link or a heading is none. */
const prose = (path: string) => read(path).replaceAll(/^```[^]*?^```$/gmu, '')

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>()
  for (const { 1: heading = '' } of prose(path).matchAll(/^#{1,6} +(.+)$/gmu)) {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    let name = anchor
    for (let again = 1; anchors.has(name); again += 1) name = `${anchor}-${again}`
    anchors.add(name)
  }
  return anchors
}

/** @returns why a link of a page leads nowhere; null if it leads somewhere, or to another site */
function problemOf(path: string, link: string): string | null {
  if (/^[a-z]+:/u.test(link)) return null
  const [file = '', anchor] = link.split('#')
  const target = relative(REPOSITORY, join(REPOSITORY, file === '' ? path : join(dirname(path), file)))
  if (!existsSync(join(REPOSITORY, target))) return `${link}: there is no ${target}`
  if (anchor === undefined) return null
  const found = statSync(join(REPOSITORY, target)).isFile() && anchorsOf(target).has(anchor)
  return found ? null : `${link}: ${target} has no such heading`
}

test.each(pages)('every link of %s leads somewhere', (path) => {
  const links = [...prose(path).matchAll(/\]\(([^)\s]+)\)/gu)].map(([, link = '']) => link)
  expect(links.map((link) => problemOf(path, link)).filter((problem) => problem !== null)).toEqual([])
})

test.each(pages)('every script of npm that %s names is there', (path) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = [...read(path).matchAll(/\bnpm run ([\w:-]+)/gu)].map(([, name = '']) => name)
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
})

test('the README is short', () =>
  expect(Buffer.byteLength(read('README.md'))).toBeLessThanOrEqual(README_BYTES))
