import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const JOURNEYS = join('test', 'src', 'console', 'journeys')

function* testFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!['node_modules', 'dist'].includes(entry.name)) yield* testFiles(path)
    } else if (/\.(?:test|contract)\.ts$/u.test(path) || (folder === JOURNEYS && path.endsWith('.ts')))
      yield path
  }
}

/** A string that begins an argument or a row of `.each`, and itself with `B8: `, `row 6: ` or `rows 3, 5: `. */
const CODED = /(?<=[([]\s*['"`])(?:[A-Z]\d+[a-z]?|rows? \d+)(?:(?:, | and )[A-Z]?\d+)*: /giu

/** `libs/a.test.ts:7: B8: `, for each coded title of a source. */
const codedTitles = (path: string, source: string) =>
  [...source.matchAll(CODED)].map(
    ({ 0: code, index }) => `${path}:${source.slice(0, index).split('\n').length}: ${code.trim()}`,
  )

test('titles of tests say what they test, and begin with no code', () => {
  const coded = ['it(', 'test.each(\n  [],\n)(\n  ', '[\n['].map((call) =>
    codedTitles('a', `${call}'C10: b'`),
  )
  expect(coded).toEqual([['a:1: C10:'], ['a:4: C10:'], ['a:2: C10:']])
  expect(codedTitles('a', ['it(', 'rows 3, 5: b'].join("'"))).toEqual(['a:1: rows 3, 5:'])

  const files = ['libs', 'services', 'test'].flatMap((folder) => [...testFiles(folder)])
  expect(files.length).toBeGreaterThan(100)
  expect(files.flatMap((path) => codedTitles(path, readFileSync(join(ROOT, path), 'utf8')))).toEqual([])
})
