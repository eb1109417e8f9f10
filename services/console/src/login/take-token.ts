/**
 * The token of a login link, which is in the address's fragment, and takes it out of the address and the browser's list of
 * pages. Null if there is none.
 */
export function takeToken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  return token
}
