import { sizeInWords } from '@daybook/memory/size-in-words'
import { createGraphQLError, type GraphQLParams, type Plugin } from 'graphql-yoga'
import { REQUEST_LIMITS } from '../schema/limits.ts'

function tooLarge() {
  return createGraphQLError(
    `The request's body is too large: the limit is ${sizeInWords(REQUEST_LIMITS.bodyBytes)}`,
    {
      extensions: { code: 'BODY_TOO_LARGE', limit: REQUEST_LIMITS.bodyBytes, http: { status: 413 } },
    },
  )
}

function invalid(message: string) {
  return createGraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } })
}

function unsupported() {
  return createGraphQLError('The body must be JSON: send it with "Content-Type: application/json"', {
    extensions: { code: 'UNSUPPORTED_MEDIA_TYPE', http: { status: 415 } },
  })
}

function tooSlow(timeoutMs: number) {
  return createGraphQLError(
    `The request's body did not arrive within ${timeoutMs / 1_000} s, which is the limit (DAYBOOK_REQUEST_TIMEOUT)`,
    {
      extensions: {
        code: 'REQUEST_TIMEOUT',
        retryable: false,
        http: { status: 408, headers: { connection: 'close' } },
      },
    },
  )
}

const JSON_TYPE = /^application\/(?:graphql\+)?json\s*(?:;|$)/iu
const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Reads a body, for as long as it may take. */
async function readInTime(request: Request, timeoutMs: number): Promise<Uint8Array> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs)
  })
  const reading = readLimited(request)
  // After the deadline the connection is cut, and nobody waits for the body any more.
  reading.catch(() => {})
  try {
    return await Promise.race([reading, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Reads a body. It stops as soon as the body exceeds the limit, whatever its headers said. */
async function readLimited(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > REQUEST_LIMITS.bodyBytes) throw tooLarge()
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of (request.body ?? []) as AsyncIterable<Uint8Array>) {
      size += part.byteLength
      if (size > REQUEST_LIMITS.bodyBytes) throw tooLarge()
      parts.push(part)
    }
  } catch (error) {
    // Nobody reads this answer, but without it the log would report an internal error.
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET')
      throw invalid('The body broke off before its end')
    throw error
  }
  return Buffer.concat(parts)
}

function parseJson(body: Uint8Array): GraphQLParams {
  let text: string
  try {
    text = UTF8.decode(body)
  } catch {
    // Silent replacement characters would make us remember something other than was sent.
    throw invalid('The body is not UTF-8')
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw invalid('The body is not JSON')
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw invalid('The body must be one JSON object')
  return parsed as GraphQLParams
}

/**
 * Reads every posted body, of any type, with a limit on its size and time; Yoga would read bodies of any size into
 * memory. Anything but JSON is refused: nobody needs forms and plain queries.
 */
export function bodyLimit(timeoutMs: number): Plugin {
  return {
    onRequestParse({ request, setRequestParser }) {
      if (request.method !== 'POST') return
      setRequestParser(async (posted) => {
        const body = await readInTime(posted, timeoutMs)
        if (!JSON_TYPE.test(posted.headers.get('content-type') ?? '')) throw unsupported()
        return parseJson(body)
      })
    },
  }
}
