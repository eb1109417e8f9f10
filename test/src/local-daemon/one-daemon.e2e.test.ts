import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import { daemonState } from '@daybook/local-daemon/daemon-state'
import { ensureDaemon } from '@daybook/local-daemon/ensure-daemon'
import { copyMigratedCluster } from '@daybook/postgres/testing/embedded-template'
import { pause } from '@daybook/runtime/backoff'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CliResult, runCli, startCli } from '../cli/run-cli.ts'
import { untilGone } from '../support/child-process.ts'

/* One daemon for a data folder, started in the background by whoever needs it. The clients are real processes. */

/** A process each; a second of CPU time. */
const CLIENTS = Number(process.env['DAYBOOK_START_CLIENTS'] ?? 12)

describe('a daemon in the background', () => {
  let dataDir: string
  let environment: Record<string, string>
  const other = createServer()

  beforeAll(async () => {
    // Whether it is ours or of somebody else on this machine: the usual port is taken in all these tests.
    await new Promise<void>((resolve) => {
      other.once('error', () => resolve())
      other.listen(4000, '127.0.0.1', resolve)
    })
    // Makes the CLI's bundle, if a source has changed, once and not in each client.
    await runCli(['--version'])
  })
  afterAll(() => other.close())
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'daybook-background-'))
    mkdirSync(dataDir, { recursive: true })
    await copyMigratedCluster(dataDir)
    environment = {
      DAYBOOK_DATA_DIR: dataDir,
      DAYBOOK_EMBEDDER: 'none',
      DAYBOOK_MODEL_CACHE: testCacheDir(),
      DAYBOOK_SELF_CHECK: 'off',
    }
  })
  afterEach(async () => {
    const left = pid()
    if (left !== null) process.kill(left, 'SIGKILL')
    if (left !== null) await untilGone(left)
    await pause(100)
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  })

  const pid = () => {
    const found = daemonState(dataDir)
    return 'pid' in found ? found.pid : null
  }
  const run = (...args: string[]) => runCli(args, environment)
  const json = ({ stdout, stderr }: CliResult) => {
    if (stdout === '') throw new Error(stderr)
    return JSON.parse(stdout) as { url: string; pid: number; started: boolean; log: string }
  }
  /** How many daemons wrote to the log, whose settings were right or were not. */
  const begun = () =>
    readFileSync(join(dataDir, 'daemon.log'), 'utf8').match(/^Daybook (?:is starting|cannot start)/gmu)
      ?.length

  it(`is one, however many of ${CLIENTS} clients start it at once, on a free port if another has the usual one`, async () => {
    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, () => run('start', '--detach', '--json')),
    )
    const told = answers.map(json)
    expect(new Set(told.map((one) => `${one.pid} ${one.url}`)).size).toBe(1)
    expect(told.filter(({ started }) => started)).toHaveLength(1)
    expect(begun()).toBe(1)
    expect(told[0]?.url).not.toContain(':4000')
    expect((await run('status')).stdout).toContain(told[0]?.url)
  })

  it('is started again after kill -9, and has what it acknowledged', async () => {
    const first = json(await run('start', '--detach', '--json'))
    expect((await run('remember', 'We use pnpm')).exitCode).toBe(0)
    process.kill(first.pid, 'SIGKILL')
    await untilGone(first.pid)
    const second = json(await run('start', '--detach', '--json'))
    expect(second).toMatchObject({ started: true })
    expect(second.pid).not.toBe(first.pid)
    await expect.poll(async () => (await run('search', 'pnpm')).stdout).toContain('We use pnpm')
  })

  it('survives the kill of its starter’s process group, and is what the next client waits for', async () => {
    const starter = startCli(['start', '--detach'], environment, { detached: true })
    while (pid() === null) await pause(10)
    process.kill(-(starter.process.pid as number), 'SIGKILL')
    const found = json(await run('start', '--detach', '--json'))
    expect(found.started).toBe(false)
    expect(begun()).toBe(1)
  })

  it('is stopped by daybook stop, also one that was started in a terminal', async () => {
    const terminal = startCli(['start'], { ...environment, DAYBOOK_PORT: '0' })
    while (!terminal.stdout().includes('npx daybook stop')) await pause(20)
    expect(json(await run('start', '--detach', '--json'))).toMatchObject({ started: false })
    expect((await run('stop')).stdout).toContain('has stopped')
    expect(await terminal.ended).toMatchObject({ exitCode: 0 })
    expect(JSON.parse((await run('stop', '--json')).stdout)).toEqual({ stopped: false, dataDir, pid: null })
  })

  it('that cannot start says why and where its log is, once to all who wait', async () => {
    const { PATH = '' } = process.env
    const broken = { ...environment, PATH, HOME: homedir(), DAYBOOK_EMBEDDER: 'bert' }
    const failures = await Promise.allSettled(
      Array.from({ length: 20 }, () => ensureDaemon({ dataDir, environment: broken })),
    )
    expect(
      new Set(failures.map((one) => (one.status === 'rejected' ? String(one.reason) : 'started'))).size,
    ).toBe(1)
    expect(begun()).toBe(1)
    const told = await runCli(['start', '--detach'], broken)
    expect(told.exitCode).toBe(3)
    expect(told.stderr).toMatch(/DAYBOOK_EMBEDDER: must be minilm/u)
    expect(told.stderr).toContain(join(dataDir, 'daemon.log'))
    // A later client is not told of it again, but tries.
    expect(begun()).toBe(2)
    expect(json(await run('start', '--detach', '--json')).started).toBe(true)
  })
})
