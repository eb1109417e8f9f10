import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type SwitchingProxy, startSwitchingProxy } from './switching-proxy.ts'

let server: Server
let proxy: SwitchingProxy
let asked = 0

beforeEach(async () => {
  asked = 0
  server = createServer((_, response) => {
    asked += 1
    response.end('x'.repeat(1_000))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy = await startSwitchingProxy()
  proxy.route({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
})
afterEach(async () => {
  await proxy.stop()
  server.close()
})

const ask = async () =>
  (await fetch(`http://127.0.0.1:${proxy.port}`, { headers: { connection: 'close' } })).text()

it('carries nothing while it is frozen, and goes on afterwards', async () => {
  proxy.freeze(true)
  const answer = ask()
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(asked).toBe(0)
  proxy.freeze(false)
  expect(await answer).toHaveLength(1_000)
})

it('cuts one connection in the middle of an answer', async () => {
  proxy.cutAfter(500)
  await expect(ask()).rejects.toThrow(/./u)
  expect(asked).toBe(1)
  expect(await ask()).toHaveLength(1_000)
})
