// A registry that has packages as if they were published. Everything else it leaves to npm's own registry.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

/**
 * Starts it on a free port.
 * @param {{ tarball: string, manifest: object }[]} packages the path of each, and its `package.json`
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function startRegistry(packages) {
  const byPath = new Map()
  const server = createServer(({ url = '' }, response) => {
    const [type, body] = byPath.get(url) ?? []
    if (body === undefined) response.writeHead(302, { location: `https://registry.npmjs.org${url}` }).end()
    else response.setHeader('content-type', type).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}/`
  for (const { tarball, manifest } of packages) {
    const content = readFileSync(tarball)
    const { name, version } = manifest
    const path = `/${name}/-/${name}-${version}.tgz`
    const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`
    const published = { ...manifest, dist: { tarball: new URL(path, url).href, integrity } }
    const document = { name, 'dist-tags': { latest: version }, versions: { [version]: published } }
    byPath.set(`/${name}`, ['application/json', JSON.stringify(document)])
    byPath.set(path, ['application/octet-stream', content])
  }
  return { url, close: () => server.close() }
}
