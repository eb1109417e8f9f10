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

const JSON_TYPE = /^application\/(?:graphql\+)?json\s*(?:;|$)/iu
const UTF8 = new TextDecoder('utf-8', { fatal: true })

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
 * Reads every posted body, of any type, with a limit on its size; Yoga would read bodies of any size into
 * memory. Anything but JSON is refused: nobody needs forms and plain queries.
 */
export function bodyLimit(): Plugin {
  return {
    onRequestParse({ request, setRequestParser }) {
      if (request.method !== 'POST') return
      setRequestParser(async (posted) => {
        const body = await readLimited(posted)
        if (!JSON_TYPE.test(posted.headers.get('content-type') ?? '')) throw unsupported()
        return parseJson(body)
      })
    },
  }
}
