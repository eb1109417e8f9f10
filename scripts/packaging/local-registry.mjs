// A registry that has the package as if it were published. Everything else it leaves to npm's own registry.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

/**
 * Starts it on a free port.
 * @param {string} tarball the path of the package
 * @param {object} manifest its `package.json`
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function startRegistry(tarball, manifest) {
  const content = readFileSync(tarball)
  const { name, version } = manifest
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`
  const server = createServer(({ url = '' }, response) => {
    const address = `http://127.0.0.1:${server.address().port}/${name}/-/${name}-${version}.tgz`
    if (url === `/${name}`) {
      // The registry itself sets this mark where a package has npm-shrinkwrap.json.
      const published = { ...manifest, _hasShrinkwrap: true, dist: { tarball: address, integrity } }
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: published } }),
      )
    } else if (address.endsWith(url)) response.end(content)
    else response.writeHead(302, { location: `https://registry.npmjs.org${url}` }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() }
}
