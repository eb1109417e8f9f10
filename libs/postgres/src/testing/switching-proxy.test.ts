import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type SwitchingProxy, startSwitchingProxy } from './switching-proxy.ts'

let server: Server
let proxy: SwitchingProxy
let asked = 0

beforeEach(async () => {
  asked = 0
  server = createServer((request, response) => {
    if (request.url === '/') asked += 1
    response.end('x'.repeat(1_000))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy = await startSwitchingProxy()
  proxy.route({ host: '127.0.0.1', port: portOf(server) })
})
afterEach(async () => {
  await proxy.stop()
  server.close()
})

const portOf = (at: Server) => (at.address() as AddressInfo).port
const ask = async (port = proxy.port, path = '/') =>
  (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).text()

it('carries nothing while it is frozen, and goes on afterwards', async () => {
  proxy.freeze(true)
  const answer = ask()
  // Without the proxy others are answered that came later.
  for (let later = 0; later < 5; later += 1) await ask(portOf(server), '/later')
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
