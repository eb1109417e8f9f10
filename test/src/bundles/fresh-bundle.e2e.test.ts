import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { REPOSITORY } from '../support/daemon.ts'

/* The scripts that bundle for `npm start` and the CLI, in a small repository of their own. */

let repository = ''
beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), 'daybook-bundles-'))
  for (const script of [
    'start.mjs',
    'fresh-bundle.mjs',
    'bundle.mjs',
    'bundle-console.mjs',
    'packaging/onnx.mjs',
    'with-esbuild.mjs',
    'repository.mjs',
  ])
    cpSync(join(REPOSITORY, 'scripts', script), join(repository, 'scripts', script))
  mkdirSync(join(repository, 'node_modules'))
  symlinkSync(join(REPOSITORY, 'node_modules/esbuild'), join(repository, 'node_modules/esbuild'))
  write('package.json', '{ "type": "module" }')
  write('package-lock.json', '{}')
  write('services/demo/package.json', '{ "type": "module", "bundle": { "main": "src/main.ts" } }')
  write(
    'services/demo/src/main.ts',
    `import { said } from './said.ts'\nconsole.log(said, ...process.argv.slice(2))`,
  )
  write('services/demo/src/said.ts', `export const said: string = 'one'`)
})
afterEach(() => rmSync(repository, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(repository, path)), { recursive: true })
  writeFileSync(join(repository, path), text)
}

const start = () =>
  execFileSync(process.execPath, [join(repository, 'scripts/start.mjs'), 'demo', 'with', 'words'], {
    encoding: 'utf8',
  }).trim()
const cache = () => join(repository, 'node_modules/.cache/daybook/bundles/demo')
const bundles = () => readdirSync(cache()).filter((name) => name !== 'newest.json')

test('a bundle that is missing is made, and used again as long as its sources are the same', () => {
  expect(start()).toBe('one with words')
  const [made] = bundles()
  expect(start()).toBe('one with words')
  expect(bundles()).toEqual([made])
})

test('a bundle that is older than one of its sources is made again', () => {
  start()
  write('services/demo/src/said.ts', `export const said: string = 'two, which is longer'`)
  expect(start()).toBe('two, which is longer with words')
  // A process that runs from the previous bundle goes on.
  expect(bundles()).toHaveLength(2)
})

test('so it is where packages have changed, or the list of what is bundled', () => {
  start()
  write('package-lock.json', '{ "packages": {} }')
  start()
  expect(bundles()).toHaveLength(2)
  write('services/demo/src/other.ts', `console.log('another')`)
  write('services/demo/package.json', '{ "type": "module", "bundle": { "main": "src/other.ts" } }')
  expect(start()).toBe('another')
})

test.each([
  ['the bundle itself', () => bundles().map((name) => join(cache(), name))],
  ['all of the cache', () => [join(repository, 'node_modules/.cache')]],
])('it is made again where somebody has deleted %s', (_, deleted) => {
  start()
  for (const path of deleted()) rmSync(path, { recursive: true })
  expect(start()).toBe('one with words')
})

test('and where what is known of it cannot be read, or a source is gone', () => {
  start()
  writeFileSync(join(cache(), 'newest.json'), '{"folder"')
  expect(start()).toBe('one with words')
  write('services/demo/src/main.ts', `console.log('alone')`)
  rmSync(join(repository, 'services/demo/src/said.ts'))
  expect(start()).toBe('alone')
})

/** So many files take esbuild some tenths of a second. */
const PARTS = 2_000

test('many processes at a cold start run to their end, each from its bundle', async () => {
  // What is loaded late is read from the bundle after others have made theirs.
  write('services/demo/src/late.ts', `export const said = 'late'`)
  // As large as a service, so that all of them have begun before the first is done.
  for (let part = 0; part < PARTS; part += 1)
    write(`services/demo/src/parts/${part}.ts`, `export const part${part} = ${part}`)
  write(
    'services/demo/src/parts.ts',
    Array.from({ length: PARTS }, (_, part) => `export * from './parts/${part}.ts'`).join('\n'),
  )
  write(
    'services/demo/src/main.ts',
    `import * as parts from './parts.ts'\nif (!('part7' in parts)) throw new Error('incomplete')\nawait new Promise((resolve) => setTimeout(resolve, 2_000))\nconsole.log((await import('./late.ts')).said)`,
  )
  const run = promisify(execFile)
  const script = join(repository, 'scripts/start.mjs')
  const ended = await Promise.allSettled(
    Array.from({ length: 26 }, () => run(process.execPath, [script, 'demo'])),
  )
  expect(ended.map((one) => (one.status === 'fulfilled' ? one.value.stdout : String(one.reason)))).toEqual(
    ended.map(() => 'late\n'),
  )
})

test('bundles that nobody starts from any more are deleted, all but the newest', () => {
  const named = (at: number) => `${at}-0123abcd`
  const longAgo = Array.from({ length: 25 }, (_, count) => named(1_700_000_000_000 + count))
  const justNow = Array.from({ length: 25 }, (_, count) => named(Date.now() - count))
  for (const name of longAgo) mkdirSync(join(cache(), name), { recursive: true })
  start()
  expect(bundles().toSorted().slice(0, -1)).toEqual(longAgo.slice(-19))
  for (const name of justNow) mkdirSync(join(cache(), name), { recursive: true })
  rmSync(join(cache(), 'newest.json'))
  start()
  expect(bundles().toSorted()).toEqual(expect.arrayContaining(justNow))
  expect(bundles()).not.toContain(longAgo.at(-1))
})
