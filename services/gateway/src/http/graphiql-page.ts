import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { renderOfflineGraphiQL } from './graphiql.ts'

/** Serves GraphiQL. The page is made and compressed once, at its first request. */
export interface GraphiQLPage {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>
}

type Encoding = 'br' | 'gzip' | 'identity'

interface Page {
  readonly hash: string
  readonly bodies: Readonly<Record<Encoding, Buffer>>
}

/** Level 9 takes six times as long and saves 5 % more (docs/measurements.md#graphiqls-page-compressed). */
const BROTLI_LEVEL = 5

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  // The browser keeps the page but asks each time whether it changed: a new version of Daybook has a new
  // page.
  'cache-control': 'no-cache',
  // Other clients get GraphQL's answers at the same address.
  vary: 'accept, accept-encoding',
  // The page holds its user's key, so no other page may embed it and steal clicks.
  'x-frame-options': 'DENY',
  'content-security-policy': "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** @param render makes the page. Default: GraphiQL's */
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
      // All clients get the same buffer, so a slow reader costs no copy.
      response.end(method === 'HEAD' ? undefined : body)
    },
  }
}

/** Compresses in zlib's threads, so the event loop is not blocked. */
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

/** The smallest encoding that the client accepts (RFC 9110, 12.5.3). */
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
