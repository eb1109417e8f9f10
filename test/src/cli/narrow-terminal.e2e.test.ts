import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDaemon } from '../support/daemon.ts'
import { runCli } from './run-cli.ts'

/*
 * What people see of each command in a terminal of 60 columns. Without a terminal, the output is complete.
 */

const COLUMNS = 60
const TEXT = `${'The nightly build compares every bundle with its sources. '.repeat(6)}It ends here.`

const folder = mkdtempSync(join(tmpdir(), 'daybook-narrow-'))
const daemon = createTestDaemon()
let environment: Record<string, string> = {}
let id = ''

beforeAll(async () => {
  await daemon.start()
  environment = { DAYBOOK_DATA_DIR: daemon.dataDir }
  const { stdout } = await runCli(
    ['remember', 'fact', 'the build', '--content', TEXT, '--label', 'ci', '--json'],
    environment,
  )
  id = (JSON.parse(stdout) as { memory: { id: string } }).memory.id
  writeFileSync(
    join(folder, 'notes.jsonl'),
    `${JSON.stringify({ content: { note: { text: 'imported' } } })}\n{"content": {"note": {"text": "x", "colour": "a field that no note has"}}}\n`,
  )
})
afterAll(async () => {
  await daemon.remove()
  rmSync(folder, { recursive: true })
})

const narrow = (...args: string[]) =>
  runCli(args, { ...environment, NO_COLOR: '1', TERM: 'xterm' }, '', { columns: COLUMNS })

// oxlint-disable-next-line no-control-regex
const [TO_COLUMN, SEQUENCE] = [/\u001B\[\d*G/gu, /\u001B(?:\[[?0-9]*[a-zA-Z]|[78])/gu]

/** The lines that a person sees. Each redraw of a line, such as a bar, counts as a line. */
const lines = (text: string) => text.replace(TO_COLUMN, '\n').replace(SEQUENCE, '').split(/\r|\n/u)

/** A word that is longer, such as a hash or a path, stays whole, so that it can be copied. */
const tooLong = (printed: string) =>
  lines(printed).filter((line) => line.length > COLUMNS && line.trim().includes(' '))

test.each<readonly [name: string, ...args: (string | (() => string))[]]>([
  ['status'],
  ['status', '--url', 'http://127.0.0.1:9'],
  ['search', 'nightly build', '--explain'],
  ['get', () => id, '--history'],
  ['doctor'],
  ['reindex', 'pgvector'],
  ['reindex', '--list'],
  ['verify'],
  ['verify', '--journal'],
  ['replay', '--from', '1'],
  ['parked'],
  ['sync'],
  ['sync', 'pause'],
  ['sync', 'followers'],
  ['operations'],
  ['import', () => join(folder, 'notes.jsonl')],
  ['import', () => join(folder, 'nothing.jsonl')],
  ['export', '--out', () => join(folder, 'journal.jsonl')],
  ['remember', 'note', 'a note that somebody wrote down to be found again some day, by its words'],
  ['forget', '00000000-0000-7000-8000-000000000000'],
])('what %j shows fits, but for single words', async (...args) => {
  const { stdout, stderr } = await narrow(...args.map((one) => (typeof one === 'string' ? one : one())))
  expect(stdout + stderr).toMatch(/\w{3}/u)
  expect(tooLong(stdout + stderr)).toEqual([])
})

test('help fits; that of every command is tried beside the CLI’s code', async () => {
  for (const words of [['--help'], ['help', 'remember', 'decision']]) {
    const { stdout } = await narrow(...words)
    expect(stdout).toContain('Usage:')
    expect(tooLong(stdout)).toEqual([])
  }
})

test('where there is no terminal texts are whole, each on its line', async () => {
  const hit = (await runCli(['get', id], environment)).stdout
  expect(hit.split('\n')).toContain(`content: ${TEXT}`)
  const history = (await runCli(['get', id, '--history'], environment)).stdout
  expect(history.split('\n')).toContain(`  the build ${TEXT}`)
  const status = (await runCli(['status'], environment)).stdout
  expect(status).toMatch(/^projection +position +head +lag +pending +parked +generation +status$/mu)
})

test('JSON is not broken in a terminal', async () => {
  const { stdout } = await narrow('get', id, '--json')
  expect(JSON.parse(stdout)).toMatchObject({ memory: { content: { fact: { content: TEXT } } } })
})

test('with --json long work prints JSON alone on standard output, and its progress beside it', async () => {
  const { stdout, stderr } = await runCli(['verify', '--json'], environment)
  expect(JSON.parse(stdout)).toHaveProperty('operations')
  expect(stderr).not.toContain('{')
})
