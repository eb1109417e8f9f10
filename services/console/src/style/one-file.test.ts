import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCES = join(import.meta.dirname, '..')

/** The classes that a style sheet gives a look of their own: `.card {`, not `.badge.good {` or `.dialog h2 {`. */
const ownClasses = (css: string): string[] => [
  ...new Set(
    [...css.matchAll(/^\.(?<name>[\w-]+)(?=\s*[,{])/gmu)].map(({ groups }) => groups?.['name'] ?? ''),
  ),
]

test('no two pages give the same class a look: all style sheets hold for all pages', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.css'),
  )
  const places = files.flatMap((file) =>
    ownClasses(readFileSync(join(SOURCES, file), 'utf8')).map((name) => ({ name, file })),
  )
  expect(places.length).toBeGreaterThan(50)
  const byName = new Map<string, string[]>()
  for (const { name, file } of places) byName.set(name, [...(byName.get(name) ?? []), file])
  expect([...byName].filter(([, at]) => at.length > 1)).toEqual([])
})
