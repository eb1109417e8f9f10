/**
 * The server's error message for a line that is not JSON. Exact, as recorded, for a literal in the place of a
 * key or value; similar for everything else.
 */
export function jsonError(line: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const at = Number(/position (\d+)/.exec(message)?.[1] ?? line.length)
  const isKey = message.includes('property name')
  const literal = { t: 'true', f: 'false', n: 'null' }[line[at] ?? '']
  let end = at + 1
  if (literal !== undefined) while (end < line.length && literal.startsWith(line.slice(at, end))) end++
  const reason = at >= line.length ? 'unexpected end of input' : 'invalid literal'
  return (
    `[json.exception.parse_error.101] parse error at line 1, column ${end}: syntax error while parsing ` +
    `${isKey ? 'object key' : 'value'} - ${reason}; last read: '${line.slice(0, end)}'` +
    `${isKey ? '; expected string literal' : ''}`
  )
}
