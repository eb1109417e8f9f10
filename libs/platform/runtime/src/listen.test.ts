import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { checkAddress, listen } from './listen.ts'

it('an address that another program uses is refused before anything is started', async () => {
  const other = createServer()
  const url = await listen(other, { host: '127.0.0.1', port: 0 })
  const { port } = other.address() as AddressInfo
  expect(url).toBe(`http://127.0.0.1:${port}`)
  await expect(checkAddress({ host: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'CONFIGURATION',
    message: expect.stringContaining('another program uses it'),
  })
  await new Promise((resolve) => other.close(resolve))
  await checkAddress({ host: '127.0.0.1', port })
})
