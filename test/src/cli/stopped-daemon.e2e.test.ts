import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeLock } from '@daybook/runtime/exclusive-lock'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runCli } from './run-cli.ts'

/* A daemon has ended. Its folder still names its address and a process that lives; a stranger has the port. */

const dataDir = mkdtempSync(join(tmpdir(), 'daybook-stopped-'))
const keys: (string | undefined)[] = []
const stranger = createServer((request, response) => {
  keys.push(request.headers.authorization)
  response.setHeader('content-type', 'application/json').end('{"status":"ok","ready":true}')
})
let url: string

beforeAll(async () => {
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
  writeFileSync(join(dataDir, 'api-key'), 'dbk_of_the_folder')
  const lock = takeLock(join(dataDir, 'daemon.lock')) ?? expect.fail('another has the lock')
  lock.describe({ url })
  lock.release()
})
afterAll(() => {
  stranger.close()
  rmSync(dataDir, { recursive: true })
})
beforeEach(() => void keys.splice(0))

test.each([
  ['status'],
  ['search', 'x'],
  ['remember', 'note', 'x'],
  ['tail'],
  ['console', '--print'],
  ['export', '--out', join(dataDir, 'out.jsonl')],
])('%s says that the daemon of the folder does not run, and asks nobody', async (...args) => {
  for (const environment of [
    { DAYBOOK_DATA_DIR: dataDir },
    { DAYBOOK_DATA_DIR: dataDir, DAYBOOK_API_KEY: 'dbk_given' },
  ]) {
    const { exitCode, stderr } = await runCli(args, environment)
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 3, stderr: expect.stringContaining(dataDir) })
    expect(stderr).toContain('The daemon of this folder does not run')
    expect(stderr).toContain('daybook start')
  }
  expect(keys).toEqual([])
})

test('a hook says it in the log, doctor and status in JSON, and ask nobody', async () => {
  const environment = { DAYBOOK_DATA_DIR: dataDir }
  const hook = await runCli(['hook', 'session-start', '--context', 'shop'], environment, '{}')
  expect(hook).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  expect(readFileSync(join(dataDir, 'hooks.log'), 'utf8')).toMatch(
    /^\S+Z session-start: The daemon of this folder does not run: .*\n$/u,
  )
  const status = await runCli(['status', '--json'], environment)
  expect(JSON.parse(status.stdout)).toMatchObject({ reachable: false, url: null })
  expect(JSON.parse(status.stderr)).toMatchObject({ error: { code: 'DAEMON_NOT_RUNNING' } })
  const { stdout } = await runCli(['doctor', '--json'], environment)
  expect(stdout).toContain('The daemon of this folder does not run')
  expect(keys).toEqual([])
})

test('an address that is given gets the key', async () => {
  await runCli(['search', 'x', '--url', url], { DAYBOOK_DATA_DIR: dataDir })
  expect(keys).toEqual(['Bearer dbk_of_the_folder'])
})
