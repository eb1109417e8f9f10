import { execFileSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { runCli, startCli } from './run-cli.ts'

/* The real binary moves a journal from one real daemon to others. */

const folder = mkdtempSync(join(tmpdir(), 'daybook-journal-test-'))
const file = join(folder, 'daybook.jsonl')
const [source, target] = [createTestDaemon(), createTestDaemon()]

/** The command line of somebody beside this daemon. */
const at = (daemon: TestDaemon) => ({
  DAYBOOK_URL: daemon.url() ?? '',
  DAYBOOK_DATA_DIR: daemon.dataDir,
})
const EVENTS = 1_500

beforeAll(async () => {
  // One after the other: each of them makes the files of its database.
  await source.start()
  await target.start()
  const lines = Array.from({ length: EVENTS }, (_, index) =>
    JSON.stringify({ content: { note: { text: `platypus ${index}` } }, metadata: { 10: index, 2: 1e21 } }),
  )
  writeFileSync(join(folder, 'memories.jsonl'), lines.join('\n'))
  const { exitCode, stderr } = await runCli(['import', join(folder, 'memories.jsonl')], at(source))
  if (exitCode !== 0) throw new Error(stderr)
})
afterAll(async () => {
  await Promise.all([source.remove(), target.remove()])
  rmSync(folder, { recursive: true })
})

test('export writes the same bytes to a file and to standard output', async () => {
  const saved = await runCli(['export', '--out', file], at(source))
  expect(saved).toMatchObject({ exitCode: 0, stderr: '' })
  expect(saved.stdout).toMatch(/^Exported 1,500 events of 1 project, 1\.\d MB, to \S+\n$/u)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const piped = await runCli(['export', '--project', 'default', '--json'], at(source))
  expect(piped.exitCode).toBe(0)
  expect(piped.stdout).toBe(readFileSync(file, 'utf8'))
  expect(JSON.parse(piped.stderr)).toMatchObject({ events: EVENTS, projects: 1, file: null })
})

test('export writes where a link leads and into a pipe, and replaces neither', async () => {
  const [kept, link, pipe] = ['kept.jsonl', 'link.jsonl', 'pipe'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  symlinkSync('kept.jsonl', link)
  for (const where of ['nothing', 'an earlier export']) {
    if (where !== 'nothing') writeFileSync(kept, where)
    expect(await runCli(['export', '--out', link], at(source)), where).toMatchObject({ exitCode: 0 })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(kept, 'utf8')).toBe(readFileSync(file, 'utf8'))
  }
  execFileSync('mkfifo', [pipe])
  const [piped, saved] = await Promise.all([
    readFile(pipe, 'utf8'),
    runCli(['export', '--out', pipe], at(source)),
  ])
  expect(saved).toMatchObject({ exitCode: 0 })
  expect(piped).toBe(readFileSync(file, 'utf8'))
  for (const options of [
    ['--out', folder],
    ['--out', ''],
    ['--markdown', kept],
    ['--markdown', ''],
  ])
    expect(await runCli(['export', ...options], at(source)), options.join(' ')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`${options[0]} must name`) as string,
    })
})

test('an export that fails leaves the earlier file, and says why', async () => {
  const before = readFileSync(file, 'utf8')
  const unknown = await runCli(['export', '--project', 'nowhere', '--out', file], at(source))
  expect(unknown).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: 'daybook: There is no project "nowhere"\n',
  })
  expect(readFileSync(file, 'utf8')).toBe(before)
  const elsewhere = await runCli(['export', '--out', join(folder, 'no', 'folder')], at(source))
  expect(elsewhere).toMatchObject({ exitCode: 2, stdout: '' })
  expect(elsewhere.stderr).toContain('cannot be written')
})

test('imported into a new daemon while that is killed, it is there whole after the next import, under the key of that daemon', async () => {
  const text = readFileSync(file)
  const first = startCli(['import', '-', '--json'], at(target))
  first.process.stdin.write(text.subarray(0, text.length * 0.7))
  const imported = async () => {
    const { stdout } = await runCli(['status', '--json'], at(target))
    return (JSON.parse(stdout) as { projections: { head: number }[] }).projections[0]?.head ?? 0
  }
  await vi.waitFor(async () => expect(await imported()).toBeGreaterThan(600))
  await target.kill()
  const broken = await first.ended
  expect(broken).toMatchObject({ exitCode: 3, stdout: '' })
  expect(broken.stderr).toContain('What was imported stays')

  await target.start()
  const again = await runCli(['import', file, '--json'], at(target))
  expect(again).toMatchObject({ exitCode: 0, stderr: '' })
  const result = JSON.parse(again.stdout) as { imported: number; alreadyThere: number }
  expect(result).toMatchObject({ ended: 'complete', projects: [{ name: 'default', events: EVENTS }] })
  expect(result.imported + result.alreadyThere).toBe(EVENTS)
  expect(result.alreadyThere).toBeGreaterThan(600)

  const copy = join(folder, 'copy.jsonl')
  expect(await runCli(['export', '--out', copy], at(target))).toMatchObject({ exitCode: 0 })
  expect(readFileSync(copy, 'utf8')).toBe(readFileSync(file, 'utf8'))
  // Of 1,500 events the index may want longer than a search waits.
  await expect
    .poll(() => runCli(['search', '"platypus 1499"', '--at-least', String(EVENTS)], at(target)))
    .toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1. [NOTE] platypus 1499') })
})

test('importing it once more, and what was remembered before, adds nothing', async () => {
  const { exitCode, stdout, stderr } = await runCli(['import', file], at(target))
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(
    /^Done: 0 events imported, 1,500 already there, in .* s\n {2}default: 1,500 events\n/u,
  )
  expect(stderr).toContain('This is an exported journal')
  const memories = await runCli(['import', join(folder, 'memories.jsonl')], at(target))
  expect(memories.stdout).toMatch(/^Done: 0 imported, 1,500 already there, 0 failed/u)
})

test('a changed file, a file cut off and a Daybook with something else are refused in words', async () => {
  const text = readFileSync(file, 'utf8')
  const changed = join(folder, 'changed.jsonl')
  writeFileSync(changed, text.replace('platypus 1200', 'elephant 1200'))
  const wrong = await runCli(['import', changed], at(target))
  expect(wrong).toMatchObject({ exitCode: 1, stdout: '' })
  expect(wrong.stderr).toContain('line 1203: was changed since it was exported')
  writeFileSync(changed, text.slice(0, -100))
  expect((await runCli(['import', changed], at(target))).stderr).toMatch(/line 1503: /u)

  await runCli(['remember', 'note', 'only here'], at(target))
  await runCli(['remember', 'note', 'only there'], at(source))
  await runCli(['export', '--out', file], at(source))
  const conflict = await runCli(['import', file, '--json'], at(target))
  expect(conflict).toMatchObject({ exitCode: 1, stdout: '' })
  // Where it takes long, progress stands above the error.
  const said = conflict.stderr.trim().split('\n').at(-1) ?? ''
  expect(JSON.parse(said)).toMatchObject({ error: { code: 'IMPORT_CONFLICT' } })
})
