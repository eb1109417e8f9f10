import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectionFrom } from '@daybook/local-daemon/connection'
import { isLocked, takeLock } from '@daybook/runtime/exclusive-lock'
import { expect, test } from 'vitest'
import { ANYWHERE, daemonFetch } from './daemon-fetch.ts'

test('looks for the daemon again when that has ended, and sends whoever has its port no key', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-ended-'))
  const keys: (string | undefined)[] = []
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    writeFileSync(join(dataDir, 'api-key'), 'dbk_of_the_folder')
    const lock = takeLock(join(dataDir, 'daemon.lock'))
    lock?.describe({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    let looked = 0
    const { fetch } = daemonFetch(async () => {
      looked++
      return connectionFrom({ dataDir }, {})
    })
    await fetch(`${ANYWHERE}/graphql`)
    expect(keys).toEqual(['Bearer dbk_of_the_folder'])
    lock?.release()
    // A process that another test's thread starts just now holds a copy of the file until it runs its program.
    await expect.poll(() => isLocked(join(dataDir, 'daemon.lock'))).toBe(false)
    await expect(fetch(`${ANYWHERE}/graphql`)).rejects.toMatchObject({ code: 'DAEMON_NOT_RUNNING' })
    expect([keys.length, looked]).toEqual([1, 2])
  } finally {
    server.closeAllConnections()
    server.close()
    rmSync(dataDir, { recursive: true })
  }
})
