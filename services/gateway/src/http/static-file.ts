import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A file that is compressed once, at the start of its life, and never changes. */
export interface StaticFile {
  /** Names the content: another content has another hash. */
  readonly hash: string
  answer(request: IncomingMessage, response: ServerResponse): void
}

type Encoding = 'br' | 'gzip' | 'identity'

/** A file in the encodings that there are of it. */
export type Bodies = Readonly<Record<'identity', Buffer> & Partial<Record<Encoding, Buffer>>>

/** For a file whose address holds its hash: browsers need never ask again. */
export const FOREVER = 'public, max-age=31536000, immutable'
/** For a file whose address stays: browsers ask each time whether theirs is the newest. */
export const ASK_AGAIN = 'no-cache'

/** Level 9 takes six times as long and saves 5 % more (docs/measurements.md#graphiqls-page-compressed). */
const BROTLI_LEVEL = 5

/** Makes a file whose address holds its hash, so that browsers need never ask again. */
export async function makeStaticFile(type: string, content: string): Promise<StaticFile> {
  return staticFile(type, await compress(Buffer.from(content)), FOREVER)
}

/**
 * A file that was compressed before.
 * @param caching the header `cache-control`
 * @param more other headers of the answer
 */
export function staticFile(
  type: string,
  bodies: Bodies,
  caching: string,
  more: Readonly<Record<string, string>> = {},
): StaticFile {
  const hash = createHash('sha256').update(bodies.identity).digest('base64url').slice(0, 22)
  return {
    hash,
    answer({ method, headers }, response) {
      const encoding = chooseEncoding(headers['accept-encoding'], bodies)
      const sent = {
        etag: `"${hash}-${encoding}"`,
        'cache-control': caching,
        vary: 'accept-encoding',
        ...more,
      }
      if (isKnown(headers['if-none-match'], sent.etag)) return void response.writeHead(304, sent).end()
      const body = bodies[encoding] ?? bodies.identity
      response.writeHead(200, {
        ...sent,
        'content-type': type,
        'content-length': body.length,
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      })
      // All clients get the same buffer, so a slow reader costs no copy.
      response.end(method === 'HEAD' ? undefined : body)
    },
  }
}

/** Compresses in zlib's threads, so the event loop is not blocked. */
async function compress(identity: Buffer): Promise<Readonly<Record<Encoding, Buffer>>> {
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL,
        [constants.BROTLI_PARAM_SIZE_HINT]: identity.length,
      },
    }),
    promisify(gzip)(identity),
  ])
  return { identity, br, gzip: zipped }
}

/** The smallest encoding that there is and that the client accepts (RFC 9110, 12.5.3). */
function chooseEncoding(accepted: string | string[] | undefined, bodies: Bodies): Encoding {
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
    (name) => name in bodies && !refused.has(name) && (taken.has(name) || taken.has('*')),
  )
  return offered ?? 'identity'
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = new Set((ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//u, '')))
  return tags.has(etag) || tags.has('*')
}
