// The conformance suite imports `globSync` from node:fs, which Node has from version 22 on; testing a server does not use it.
import { register } from 'node:module'

register(
  `data:text/javascript,${encodeURIComponent(`
export async function load(url, context, next) {
  const loaded = await next(url, context)
  if (!url.includes('@modelcontextprotocol/conformance/dist/')) return loaded
  return { ...loaded, source: String(loaded.source).replace(/globSync as (\\w+),/u, '').replace(/^#!.*/u, '') + '\\nvar a;' }
}`)}`,
)
