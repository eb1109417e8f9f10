import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A page of another server on the same host: the same site for cookies, but another origin. */
export async function serveForeignPage(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>foreign</title>'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => void server.close(),
  }
}
