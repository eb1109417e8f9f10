import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LocalDaemonError } from '@daybook/local-daemon/daemon-state'
import { failureSince } from '@daybook/local-daemon/start-daemon'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepRunning } from './keep-running.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'daybook-keep-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

test('a daemon that ends is started again, until it fails five times one after the other', async () => {
  const ends = ['fails', 'fails', 'serves', 'serves', 'fails', 'fails', 'fails', 'fails', 'fails', 'serves']
  const start = () =>
    ends.shift() === 'serves'
      ? Promise.resolve()
      : Promise.reject(new LocalDaemonError('DAEMON_DID_NOT_START', 'It ended with code 1.', []))
  const keeping = keepRunning({ dataDir, environment: {}, restMs: 1, lookMs: 1, start })
  await expect(keeping).rejects.toThrow('It ended with code 1.')
  expect(ends).toEqual(['serves'])
  expect(failureSince(dataDir, 0)).toMatchObject({ code: 'DAEMON_DID_NOT_START' })
})
