/**
 * What the server's JSON library says of a line that is no JSON. Exact for a literal where a key or a value should stand, as
 * recorded; of the same form for everything else.
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
