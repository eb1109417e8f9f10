import type { IncomingMessage } from 'node:http'
import { ValidationError } from '@daybook/memory/errors'

/** Reads a body as JSON. @throws ValidationError if it is longer than `most` bytes, or anything else */
export async function readBody(request: IncomingMessage, most: number): Promise<unknown> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.byteLength
    if (size > most) throw new ValidationError('body', `is too long: the limit is ${most} bytes`)
    parts.push(part)
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'))
  } catch {
    throw new ValidationError('body', 'is no JSON')
  }
}
