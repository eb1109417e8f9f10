/**
 * The address of a daemon without a slash at its end, from a URL as people write it, with or without `/graphql`.
 * @returns null if it is not one
 */
export function daemonUrl(given: string): string | null {
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null
  return `${url.origin}${url.pathname.replace(/\/+$/u, '').replace(/\/graphql$/u, '')}`
}
