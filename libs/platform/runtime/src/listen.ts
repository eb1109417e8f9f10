import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net'
import { DaybookError } from '@daybook/memory/errors'

/**
 * Starts listening.
 * @returns the address: `http://127.0.0.1:4000`
 * @throws DaybookError CONFIGURATION if it cannot listen on the address
 */
export async function listen(server: Server, { host, port }: Address): Promise<string> {
  await begin(server, { host, port })
  const address = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
}

/** Checks an address before a start that takes seconds. @throws as `listen` does */
export async function checkAddress(address: Address): Promise<void> {
  const server = createServer()
  await begin(server, address)
  await new Promise((resolve) => server.close(resolve))
}

interface Address {
  readonly host: string
  readonly port: number
}

async function begin(server: Server | NetServer, { host, port }: Address): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another program uses it' : error.message
      reject(
        new DaybookError(
          'CONFIGURATION',
          `Daybook cannot listen on ${host}:${port}: ${why}. Choose another with DAYBOOK_HOST and DAYBOOK_PORT.`,
        ),
      )
    })
    server.listen(port, host, resolve)
  })
}
