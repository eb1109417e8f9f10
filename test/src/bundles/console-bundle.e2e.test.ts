import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { REPOSITORY } from '../support/daemon.ts'

/** What the first screen may send over the network, in bytes after gzip. */
const FIRST_SCREEN = 45_000

/** A script, which has no types. */
const { bundleConsole } = (await import(
  pathToFileURL(join(REPOSITORY, 'scripts/bundle-console.mjs')).href
)) as { bundleConsole(outdir: string): Promise<{ first: number; sources: string[] }> }

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-console-bundle-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the first screen of the console is small, and all that it names is there', async () => {
  const { first, sources } = await bundleConsole(join(folder, 'one'))
  console.log(`The first screen of the console: ${(first / 1_000).toFixed(1)} kB after gzip`)
  expect(first).toBeGreaterThan(10_000)
  expect(first).toBeLessThanOrEqual(FIRST_SCREEN)
  expect(sources).toContain('services/console/src/main.tsx')
  const page = readFileSync(join(folder, 'one/index.html'), 'utf8')
  const named = [...page.matchAll(/"\/console\/assets\/([^"]+)"/gu)].map(([, name]) => name as string)
  const files = readdirSync(join(folder, 'one/assets'))
  expect(named.length).toBeGreaterThan(2)
  for (const name of named) for (const ending of ['', '.br', '.gz']) expect(files).toContain(name + ending)
  // The policy of the page would refuse them.
  expect(page).not.toMatch(/<style|style=|<script(?![^>]* src=)|https?:/u)
})

test('the same sources make the same names, so that browsers keep what has not changed', async () => {
  await bundleConsole(join(folder, 'one'))
  await bundleConsole(join(folder, 'two'))
  expect(readdirSync(join(folder, 'one/assets'))).toEqual(readdirSync(join(folder, 'two/assets')))
})

test('each page of the console has its own file', async () => {
  await bundleConsole(join(folder, 'one'))
  const files = readdirSync(join(folder, 'one/assets'))
  const pages = readFileSync(join(REPOSITORY, 'services/console/src/shell/pages.ts'), 'utf8')
  const imported = [...pages.matchAll(/import\('\.\.\/[\w-]+\/([\w-]+)\.tsx'\)/gu)].map(([, name]) => name)
  expect(imported.length).toBeGreaterThan(1)
  for (const name of imported) expect(files.some((file) => file.startsWith(`${name}-`))).toBe(true)
})
