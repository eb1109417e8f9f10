import { execFile, execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stubManagers } from '@daybook/cli/service/testing/stub-managers'
import { ensureDaemon } from '@daybook/local-daemon/ensure-daemon'
import { stopDaemon } from '@daybook/local-daemon/stop-daemon'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { REPOSITORY } from '../support/daemon.ts'
import { runCli } from './run-cli.ts'

/*
 * `daybook service` as it is installed from the package: bundles in a folder of their own. This machine has no systemd that runs
 * services of a user; a script stands for `systemctl` and runs the unit's ExecStart.
 */

const root = mkdtempSync(join(tmpdir(), 'daybook-installed-'))
/** As npm lays it out. */
const installation = join(root, 'lib')
let home: string
let stubs: ReturnType<typeof stubManagers>

beforeAll(() => {
  const bundler = pathToFileURL(join(REPOSITORY, 'scripts/bundle.mjs')).href
  const code = `const { bundle } = await import(${JSON.stringify(bundler)})
    for (const one of ['cli', 'daemon']) await bundle(one, ${JSON.stringify(join(installation, 'dist'))} + '/' + one)`
  execFileSync(process.execPath, ['--input-type=module', '--eval', code])
  mkdirSync(join(installation, 'bin'))
  cpSync(join(REPOSITORY, 'scripts/packaging/daybook.mjs'), join(installation, 'bin/daybook.mjs'))
  writeFileSync(join(installation, 'package.json'), '{ "type": "module" }')
  symlinkSync(join(REPOSITORY, 'node_modules'), join(installation, 'node_modules'))
})
// The shell that watches a daemon may still be writing.
afterAll(() => vi.waitFor(() => rmSync(root, { recursive: true, force: true })))

beforeEach(() => {
  home = mkdtempSync(join(root, 'home-'))
  stubs = stubManagers(home)
})

/** Runs the installed command in an empty folder of an empty home. */
function daybook(args: readonly string[], environment: Record<string, string> = {}) {
  const PATH = stubs.folder + delimiter + process.env['PATH']
  const env = { PATH, HOME: home, DAYBOOK_CONTEXT_DETECTION: 'off', ...environment }
  return new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [join(installation, 'bin/daybook.mjs'), ...args],
      { cwd: home, env },
      (error, stdout, stderr) =>
        resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
    child.stdin?.end()
  })
}

test('the unit is shown before it is written; what it runs serves an empty home in place of the daemon before it', async () => {
  const unit = join(home, '.config/systemd/user/daybook.service')
  const dry = await daybook(['service', 'install', '--dry-run'])
  expect(dry).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`ExecStart="${process.execPath}" "${installation}/dist/daemon/main.js"`),
  })
  expect(dry.stdout).toContain('systemctl --user enable --now daybook.service')
  const unasked = await daybook(['service', 'install'])
  expect(unasked).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('There is no terminal to ask on'),
  })
  expect(unasked.stderr).toContain('ExecStart=')
  expect(existsSync(unit)).toBe(false)
  expect(existsSync(join(home, '.local'))).toBe(false)
  expect(await daybook(['service', 'status'])).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/^installed +no\n/u),
  })

  const settings = { DAYBOOK_EMBEDDER: 'none', DAYBOOK_PORT: '0', OPENAI_API_KEY: 'sk-of-nobody' }
  const before = JSON.parse((await daybook(['start', '--detach', '--json'], settings)).stdout)
  expect(before.dataDir).toBe(join(home, '.local/share/daybook'))
  let done = false
  const seen = new Set<number | null>()
  const asking = (async () => {
    // Other clients of the data folder would start a daemon in the moment between the two.
    const environment = { ...process.env, ...settings }
    while (!done) seen.add((await ensureDaemon({ dataDir: before.dataDir, environment })).pid)
  })()
  try {
    const installed = await daybook(['service', 'install', '--yes', '--json'], settings)
    done = true
    await asking
    expect(installed).toMatchObject({ exitCode: 0 })
    const { outcome, url, pid, secretsLeftOut } = JSON.parse(installed.stdout)
    expect({ outcome, secretsLeftOut }).toEqual({
      outcome: 'installed',
      secretsLeftOut: ['OPENAI_API_KEY'],
    })
    expect(seen).toEqual(new Set([before.pid, pid]))
    const text = readFileSync(unit, 'utf8')
    expect(text).toContain('Environment="DAYBOOK_EMBEDDER=none"')
    expect(text + installed.stdout + installed.stderr).not.toMatch(/sk-of-nobody|dbk_/u)
    expect(await daybook(['remember', 'We use pnpm'])).toMatchObject({ exitCode: 0 })
    await expect.poll(async () => (await daybook(['search', 'pnpm'])).stdout).toContain('We use pnpm')

    const status = await daybook(['service', 'status', '--json'])
    expect(status.exitCode).toBe(0)
    expect(JSON.parse(status.stdout)).toMatchObject({
      installed: true,
      running: true,
      pid,
      url,
      dataDir: before.dataDir,
    })
    const again = await daybook(['service', 'install'], settings)
    expect(again).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`${url} (process ${pid}, unchanged`),
    })

    expect(await daybook(['service', 'uninstall'])).toMatchObject({ exitCode: 2 })
    expect(await daybook(['service', 'uninstall', '--yes'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('is removed'),
    })
    expect(readdirSync(join(home, '.config/systemd/user'))).toEqual([])
    expect(JSON.parse((await daybook(['service', 'status', '--json'])).stdout)).toMatchObject({
      installed: false,
      url: null,
    })
    expect(await daybook(['service', 'uninstall'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('There is no'),
    })
  } finally {
    done = true
    await asking
    await stopDaemon({ dataDir: before.dataDir })
  }
})

test('without a session of systemd nothing is written, and the error says what to do', async () => {
  writeFileSync(join(home, 'no-bus'), '')
  expect(await daybook(['service', 'install', '--yes'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('Failed to connect to bus'),
  })
  expect(readdirSync(home).toSorted()).toEqual(['calls', 'no-bus', 'stubs'])
})

test('the repository becomes no service', async () => {
  expect(await runCli(['service', 'install', '--dry-run', '--json'], { HOME: home })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('NOT_INSTALLED'),
  })
})
