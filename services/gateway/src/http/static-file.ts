import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import fresh from 'fresh'
import Negotiator from 'negotiator'

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
      const encoding = encodingFor(headers, bodies)
      const sent = {
        etag: `"${hash}-${encoding}"`,
        'cache-control': caching,
        vary: 'accept-encoding',
        ...more,
      }
      // Some clients ask with "cache-control: no-cache" whether theirs is the newest, and mean just that.
      if (fresh({ 'if-none-match': headers['if-none-match'] }, sent))
        return void response.writeHead(304, sent).end()
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

/** `@types/negotiator` is older than the argument that orders equals. */
type Encodings = (available: string[], options: { readonly preferred: string[] }) => string[]

/** The best that the client takes, the smallest of equals. The file itself goes to those who refuse even that. */
function encodingFor(headers: IncomingHttpHeaders, bodies: Bodies): Encoding {
  const negotiator = new Negotiator({ headers })
  const encodings: Encodings = negotiator.encodings.bind(negotiator)
  return (encodings(Object.keys(bodies), { preferred: ['br', 'gzip'] })[0] ?? 'identity') as Encoding
}
