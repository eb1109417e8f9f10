import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDaemon, REPOSITORY } from '../support/daemon.ts'
import { missingLine } from './compare.ts'
import { type Example, readPage } from './page.ts'

/* Runs the commands of docs/sync.md, between two real daemons. */

const page = readFileSync(join(REPOSITORY, 'docs/sync.md'), 'utf8')
const examples = readPage(page).flatMap((section) => section.examples)

const [desk, laptop] = [createTestDaemon(), createTestDaemon()]
const folder = mkdtempSync(join(tmpdir(), 'daybook-sync-page-'))
/** Where the page says that the desk serves. */
const DESK = 'http://127.0.0.1:4000'

beforeAll(async () => {
  const npx = join(folder, 'bin', 'npx')
  mkdirSync(dirname(npx))
  const daybook = join(REPOSITORY, 'services/cli/bin/daybook.mjs')
  writeFileSync(npx, `#!/bin/sh\nshift\nexec '${process.execPath}' '${daybook}' "$@"\n`)
  chmodSync(npx, 0o755)
  symlinkSync(desk.dataDir, join(folder, 'desk'))
  symlinkSync(laptop.dataDir, join(folder, 'laptop'))
  await Promise.all([desk.start(), laptop.start()])
})
afterAll(async () => {
  await Promise.all([desk.remove(), laptop.remove()])
  rmSync(folder, { recursive: true, force: true })
})

/** @returns what the commands print, standard error too. @throws Error with it if they fail */
function runInShell(code: string): Promise<string> {
  const { PATH, HOME, TMPDIR } = process.env
  const env = {
    PATH: join(folder, 'bin') + delimiter + dirname(process.execPath) + delimiter + PATH,
    HOME,
    TMPDIR,
    DAYBOOK_CONTEXT_DETECTION: 'off',
  }
  return new Promise((resolve, reject) => {
    execFile('sh', ['-euc', code], { cwd: folder, env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout + stderr)
      else reject(new Error(`${code}\n${stdout}${stderr}`, { cause: error }))
    })
  })
}

test('the page has examples', () => expect(examples.length).toBeGreaterThanOrEqual(3))

test.each(examples.map((example): [number, Example] => [example.line, example]))(
  'line %i',
  async (_, { code, expected }) => {
    const url = desk.url() ?? ''
    const printed = (await runInShell(code.replaceAll(DESK, url))).replaceAll(url, DESK)
    expect({ printed, missing: missingLine(printed, expected ?? '', new Map()) }).toEqual({
      printed,
      missing: null,
    })
  },
)
