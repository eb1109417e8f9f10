import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { pause } from '@daybook/runtime/backoff'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDaemon, REPOSITORY } from '../support/daemon.ts'
import { dataOf } from '../support/graphql.ts'
import { subscribe } from '../support/subscribe.ts'
import { differences, fill, missingLine, type Values } from './compare.ts'
import { type Example, readPage } from './page.ts'

/* Runs every example of docs/features.md. */

const ROWS = 29
/** What says `Not built yet.`, by number or heading. Each has a line of its own. */
const NOT_BUILT: readonly string[] = []

const [preparation = { heading: '', text: '', examples: [] }, ...sections] = readPage(
  readFileSync(join(REPOSITORY, 'docs/features.md'), 'utf8'),
)
const nameOf = (heading: string) => /^\d+/u.exec(heading)?.[0] ?? heading

const daemon = createTestDaemon(undefined, { embedder: 'minilm' })
const folder = mkdtempSync(join(tmpdir(), 'daybook-features-'))

beforeAll(async () => {
  // `npx daybook` of the page is this repository's, wherever the shell stands.
  const npx = join(folder, 'bin', 'npx')
  mkdirSync(dirname(npx))
  const daybook = join(REPOSITORY, 'services/cli/bin/daybook.mjs')
  writeFileSync(npx, `#!/bin/sh\nshift\nexec '${process.execPath}' '${daybook}' "$@"\n`)
  chmodSync(npx, 0o755)
  // Programs of the page import this repository's packages.
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'))
  await daemon.start()
})
afterAll(async () => {
  await daemon.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** Waits until the indexes hold every event and every vector. */
async function caughtUp(): Promise<void> {
  interface Indexes {
    projections: { lag: number; pendingEmbeddings: number }[]
  }
  for (;;) {
    const query = '{ projections { lag pendingEmbeddings } }'
    const { projections } = dataOf(await daemon.graphql<Indexes>({ query }))
    if (projections.every(({ lag, pendingEmbeddings }) => lag + pendingEmbeddings === 0)) return
    await pause(20)
  }
}

/** @returns what the commands print, standard error too. @throws Error with it if they fail */
function runInShell(code: string): Promise<string> {
  const { PATH, HOME, TMPDIR } = process.env
  const env = {
    PATH: join(folder, 'bin') + delimiter + dirname(process.execPath) + delimiter + PATH,
    HOME,
    TMPDIR,
    DAYBOOK_URL: daemon.url() ?? '',
    DAYBOOK_DATA_DIR: daemon.dataDir,
    // The folder's name is another in every run.
    DAYBOOK_CONTEXT_DETECTION: 'off',
  }
  return new Promise((resolve, reject) => {
    execFile('sh', ['-euc', code], { cwd: folder, env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout + stderr)
      else reject(new Error(`${code}\n${stdout}${stderr}`, { cause: error }))
    })
  })
}

async function askDaemon(query: string): Promise<unknown> {
  if (!query.trimStart().startsWith('subscription')) return dataOf(await daemon.graphql({ query }))
  const stop = new AbortController()
  const apiKey = readFileSync(join(daemon.dataDir, 'api-key'), 'utf8').trim()
  const answers = subscribe<{ data: unknown }>(
    { url: daemon.url() ?? '', apiKey },
    { query, variables: {} },
    stop.signal,
  )
  const first = await answers.next()
  if (first.done === true) throw new Error('the subscription ended without an answer')
  stop.abort()
  return first.value.data
}

/** @returns what an example did other than its page says; empty if nothing */
async function wrongWith({ language, code, expected, line }: Example, values: Values): Promise<string[]> {
  await caughtUp()
  const where = `docs/features.md, line ${line}`
  const filled = fill(code, values)
  try {
    if (language === 'sh') {
      const printed = await runInShell(filled)
      const missing = expected === null ? null : missingLine(printed, expected, values)
      return missing === null ? [] : [`${where}: the line "${missing}" is not among these:\n${printed}`]
    }
    const data = await askDaemon(filled)
    const differing = expected === null ? [] : differences(data, JSON.parse(expected), values)
    return differing.length === 0 ? [] : [where, ...differing, JSON.stringify(data, null, 2)]
  } catch (error) {
    throw new Error(where, { cause: error })
  }
}

test('the page has a section for every capability, in order', () => {
  const numbers = sections.map(({ heading }) => Number(nameOf(heading))).filter(Number.isInteger)
  expect(numbers).toEqual(Array.from({ length: ROWS }, (_, i) => i + 1))
})

test('every capability that is built has an example with an answer', () => {
  const without = sections.filter(({ examples }) => examples.every(({ expected }) => expected === null))
  expect(without.map(({ heading }) => nameOf(heading))).toEqual(NOT_BUILT)
  for (const { heading, text } of sections)
    expect(text.includes('\nNot built yet.\n'), heading).toBe(NOT_BUILT.includes(nameOf(heading)))
})

describe('the examples of the page', () => {
  test.each(
    [{ ...preparation, heading: 'what all examples begin with' }, ...sections].filter(
      ({ examples }) => examples.length > 0,
    ),
  )('$heading', async ({ examples }) => {
    const values: Values = new Map()
    for (const example of examples) expect(await wrongWith(example, values)).toEqual([])
  })
})
