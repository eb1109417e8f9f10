/** A new key, for one change. Browsers have `randomUUID` only where the page came over TLS. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `client:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
