/**
 * How long a server asks to wait, in milliseconds: `retry-after-ms` (OpenAI), else `retry-after` in seconds or as a
 * date (RFC 9110, 10.2.3). Null if it does not say, or not in a readable form.
 */
export function retryAfterOf(headers: Headers, now: number = Date.now()): number | null {
  const milliseconds = numberOf(headers.get('retry-after-ms'))
  if (milliseconds !== null) return milliseconds
  const text = headers.get('retry-after')
  if (text === null) return null
  const seconds = numberOf(text)
  if (seconds !== null) return seconds * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\d{1,9}(\.\d+)?$/u.test(text.trim()) ? Number(text) : null
}
