import { execFile } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { pause } from '@daybook/runtime/backoff'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testEnvironment } from '../support/child-process.ts'
import { createTestDaemon, REPOSITORY } from '../support/daemon.ts'
import { dataOf } from '../support/graphql.ts'
import { subscribe } from '../support/subscribe.ts'
import { differences, fill, missingLine, type Values } from './compare.ts'
import { type Example, readPage } from './page.ts'

/* Runs every block of commands and of GraphQL in the README and the pages of docs/, and compares what they show. */

/** Capabilities that docs/features.md has a section for. */
const CAPABILITIES = 29
/** What says `Not built yet.` there, by number or heading. Each has a line of its own. */
const NOT_BUILT: readonly string[] = []
/** Pages that begin without memories. To empty the project takes a while, so the others share it. */
const EMPTY_AT_FIRST = new Set(['docs/features.md', 'docs/sync.md'])
/** mcp.e2e.test.ts compares the entries of programs. */
const OTHER_JSON = 'docs/mcp.md'

const docs = readdirSync(join(REPOSITORY, 'docs')).filter((name) => name.endsWith('.md'))
const pages = ['README.md', 'CONTRIBUTING.md', ...docs.toSorted().map((name) => `docs/${name}`)].map(
  (path) => ({
    path,
    sections: readPage(readFileSync(join(REPOSITORY, path), 'utf8'), { otherJson: path === OTHER_JSON }),
  }),
)
const sectionsOf = (path: string) => pages.find((page) => page.path === path)?.sections ?? []

/** Where the pages say that Daybook serves. */
const USUAL_URL = 'http://127.0.0.1:4000'
/** What these tests do themselves: `npm start` of a page, with what stands before it. */
const START = /^(?:[A-Z_]+=\S+ )*(?:npm ci && )?npm start(?: +#.*)?$/u

const daemon = createTestDaemon(undefined, { embedder: 'minilm' })
const laptop = createTestDaemon()
const folder = mkdtempSync(join(tmpdir(), 'daybook-pages-'))

beforeAll(async () => {
  // `daybook` and `npx daybook` are this repository's, wherever the shell stands. Nobody looks at a browser.
  // A busy machine answers a hook later than an agent would wait.
  const daybook = `[ "$1" != hook ] || set -- "$@" --within 60000\nexec '${process.execPath}' '${join(REPOSITORY, 'services/cli/bin/daybook.mjs')}' "$@"`
  mkdirSync(join(folder, 'bin'))
  for (const [name, does] of [
    ['daybook', daybook],
    ['npx', `[ "$1" = daybook ] || exit 1\nshift\n${daybook}`],
    ['xdg-open', 'exit 0'],
    ['open', 'exit 0'],
  ] as const) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${does}\n`)
    chmodSync(join(folder, 'bin', name), 0o755)
  }
  mkdirSync(join(folder, 'home'))
  // Programs of the pages import this repository's packages.
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'))
  await Promise.all([daemon.start(), laptop.start()])
})
afterAll(async () => {
  await Promise.all([daemon.remove(), laptop.remove()])
  rmSync(folder, { recursive: true, force: true })
})

/** Where the commands of a page stand. Its name is the context that they remember in. */
const standing = (path: string) => join(folder, basename(path, '.md'), 'daybook')

/** Gives a page a folder of its own, and an empty project if it needs one. */
async function prepare(path: string): Promise<void> {
  const at = standing(path)
  mkdirSync(at, { recursive: true })
  symlinkSync(daemon.dataDir, join(at, '.daybook'))
  if (EMPTY_AT_FIRST.has(path)) await runInShell('daybook projects delete default --yes --detach', at)
  if (path !== 'docs/sync.md') return
  symlinkSync(daemon.dataDir, join(at, 'desk'))
  symlinkSync(laptop.dataDir, join(at, 'laptop'))
}

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
function runInShell(code: string, cwd: string): Promise<string> {
  const env = {
    ...testEnvironment(),
    PATH: [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
    // Commands write the settings of programs there.
    HOME: join(folder, 'home'),
    DAYBOOK_DATA_DIR: daemon.dataDir,
  }
  return new Promise((resolve, reject) => {
    execFile('sh', ['-euc', code], { cwd, env }, (error, stdout, stderr) => {
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

/** @returns what an example did other than its page says; empty if nothing. @throws Error if it fails */
async function wrongWith(
  path: string,
  { language, code, expected, line }: Example,
  values: Values,
): Promise<string[]> {
  const where = `${path}, line ${line}`
  const filled = fill(code, values)
  try {
    await caughtUp()
    if (language === 'sh') {
      const url = daemon.url() ?? ''
      const meant = filled.replaceAll(USUAL_URL, url).replaceAll('<data folder>', daemon.dataDir)
      const printed = (await runInShell(meant, standing(path))).replaceAll(url, USUAL_URL)
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

const isRun = ({ notRun, code }: Example) =>
  notRun === null &&
  !code
    .trim()
    .split('\n')
    .every((line) => START.test(line))

describe('docs/features.md', () => {
  const sections = sectionsOf('docs/features.md').slice(1)
  const nameOf = (heading: string) => /^\d+/u.exec(heading)?.[0] ?? heading

  test('has a section for every capability, in order', () => {
    const numbers = sections.map(({ heading }) => Number(nameOf(heading))).filter(Number.isInteger)
    expect(numbers).toEqual(Array.from({ length: CAPABILITIES }, (_, i) => i + 1))
  })

  test('has an example with an answer for every capability that is built', () => {
    const without = sections.filter(({ examples }) =>
      examples.every((example) => example.expected === null || !isRun(example)),
    )
    expect(without.map(({ heading }) => nameOf(heading))).toEqual(NOT_BUILT)
    for (const { heading, text } of sections)
      expect(text.includes('\nNot built yet.\n'), heading).toBe(NOT_BUILT.includes(nameOf(heading)))
  })
})

test.each([
  ['README.md', 2],
  ['docs/sync.md', 3],
])('%s shows what %i of its examples print', (path, count) => {
  const shown = sectionsOf(path).flatMap(({ examples }) => examples.filter(isRun))
  expect(shown.filter(({ expected }) => expected !== null).length).toBeGreaterThanOrEqual(count)
})

const withExamples = pages.flatMap(({ path, sections }) => {
  const run = sections.map(({ heading, examples }) => ({
    heading: heading || 'its beginning',
    examples: examples.filter(isRun),
  }))
  const some = run.filter(({ examples }) => examples.length > 0)
  return some.length === 0 ? [] : [{ path, sections: some }]
})

describe.each(withExamples)('the examples of $path', ({ path, sections }) => {
  beforeAll(() => prepare(path))

  test.each(sections)('$heading', async ({ examples }) => {
    const values: Values = new Map()
    for (const example of examples) expect(await wrongWith(path, example, values)).toEqual([])
  })
})
