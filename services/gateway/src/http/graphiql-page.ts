import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { renderOfflineGraphiQL } from './graphiql.ts'

/** Serves GraphiQL: made and compressed once, at the first request for it. */
export interface GraphiQLPage {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>
}

type Encoding = 'br' | 'gzip' | 'identity'

interface Page {
  readonly hash: string
  readonly bodies: Readonly<Record<Encoding, Buffer>>
}

/** Level 5 takes 0.3 s for the 9 MB and leaves 1.9 MB; level 9 takes 1.7 s for 0.1 MB less. */
const BROTLI_LEVEL = 5

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  // Kept by the browser, and asked about each time: a new version of Daybook has a new page.
  'cache-control': 'no-cache',
  // One address: other clients get GraphQL's answers there.
  vary: 'accept, accept-encoding',
  // The page holds the key of whoever has opened it: no other page may show it in a frame and lead clicks to it.
  'x-frame-options': 'DENY',
  'content-security-policy': "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** @param render the page; the default is GraphiQL's */
export function createGraphiQLPage(render: () => Promise<string> = renderOfflineGraphiQL): GraphiQLPage {
  let made: Promise<Page> | undefined
  const page = (): Promise<Page> => {
    made ??= makePage(render).catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
  return {
    async answer({ method, headers }, response) {
      const { hash, bodies } = await page()
      const encoding = chooseEncoding(headers['accept-encoding'])
      const etag = `"${hash}-${encoding}"`
      if (isKnown(headers['if-none-match'], etag))
        return void response.writeHead(304, { ...HEADERS, etag }).end()
      const body = bodies[encoding]
      response.writeHead(200, {
        ...HEADERS,
        etag,
        'content-length': body.length,
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      })
      // The same bytes for all: a reader who stops costs no copy of them.
      response.end(method === 'HEAD' ? undefined : body)
    },
  }
}

/** Compresses in zlib's threads: the event loop goes on. */
async function makePage(render: () => Promise<string>): Promise<Page> {
  const identity = Buffer.from(await render())
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL,
        [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
      },
    }),
    promisify(gzip)(identity),
  ])
  const hash = createHash('sha256').update(identity).digest('base64url').slice(0, 22)
  return { hash, bodies: { identity, br, gzip: zipped } }
}

/** The smallest that the client takes (RFC 9110, 12.5.3). */
function chooseEncoding(accepted: string | string[] | undefined): Encoding {
  const refused = new Set<string>()
  const taken = new Set<string>()
  for (const part of String(accepted ?? '').split(',')) {
    const [name = '', ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/u)
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    ;(Number(weight ?? 1) > 0 ? taken : refused).add(name)
  }
  const offered = (['br', 'gzip'] as const).find(
    (name) => !refused.has(name) && (taken.has(name) || taken.has('*')),
  )
  return offered ?? 'identity'
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = new Set((ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//u, '')))
  return tags.has(etag) || tags.has('*')
}
