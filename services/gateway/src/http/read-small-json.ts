import type { IncomingMessage } from 'node:http'

/**
 * Reads a body that is one small JSON object.
 * @param most characters
 * @returns null if it is longer, or anything else
 */
export async function readSmallJson(
  request: IncomingMessage,
  most: number,
): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    let text = ''
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      text += String(part)
      if (text.length > most) return null
    }
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
