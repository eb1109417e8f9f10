import { createGraphQLError, type GraphQLParams, type Plugin } from 'graphql-yoga'
import { REQUEST_LIMITS } from '../schema/limits.ts'

function tooLarge() {
  return createGraphQLError(
    `The request's body is too large: the limit is ${REQUEST_LIMITS.bodyBytes} bytes`,
    {
      extensions: { code: 'BODY_TOO_LARGE', limit: REQUEST_LIMITS.bodyBytes, http: { status: 413 } },
    },
  )
}

function invalid(message: string) {
  return createGraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status: 400 } } })
}

/** Reads a body, and stops as soon as it is over the limit, whatever its headers said. */
async function readLimited(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > REQUEST_LIMITS.bodyBytes) throw tooLarge()
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.byteLength
    if (size > REQUEST_LIMITS.bodyBytes) throw tooLarge()
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Parses JSON requests itself, with a limit on their size; Yoga reads bodies of any size into memory. */
export function bodyLimit(): Plugin {
  return {
    onRequestParse({ request, setRequestParser }) {
      if (request.method !== 'POST') return
      if (!(request.headers.get('content-type') ?? '').includes('application/json')) return
      setRequestParser(async (posted) => {
        const text = await readLimited(posted)
        let body: unknown
        try {
          body = JSON.parse(text)
        } catch {
          throw invalid('The body is not JSON')
        }
        if (typeof body !== 'object' || body === null || Array.isArray(body))
          throw invalid('The body must be one JSON object')
        return body as GraphQLParams
      })
    },
  }
}
