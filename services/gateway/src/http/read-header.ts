/**
 * A header's text. Headers have no encoding, and node reads each byte as a character. Names that are not ASCII come as
 * UTF-8, percent-encoded or not.
 */
export function readHeader(value: string): string {
  try {
    const bytes = Buffer.from(value, 'latin1')
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    // Not from a header but from a WebSocket's parameters, which are JSON.
    return decodeURIComponent(bytes.toString('latin1') === value ? text : value)
  } catch {
    return value
  }
}
