import type { Reply } from './test-gateway.ts'

/** What a browser with the console's page sends: its cookie, and the signs that its own page asks. */
export interface TestBrowser {
  /** `name=value`; null before the login. */
  readonly cookie: string | null
  /** Logs in. @returns the answer, of which the cookie is kept */
  logIn(
    shown: { readonly token: string } | { readonly key: string },
    headers?: HeadersInit,
  ): Promise<Response>
  /** Sends an operation. @param headers besides the page's own; an empty one takes a header away */
  send(query: string, headers?: Readonly<Record<string, string>>): Promise<Reply>
  /** Asks `/console/session`. */
  session(method: 'GET' | 'DELETE'): Promise<Response>
}

/** @param url of a gateway; the cookie goes to others on the same host too */
export function testBrowser(url: string, given: string | null = null): TestBrowser {
  let cookie = given
  const headers = (more: Readonly<Record<string, string>> = {}): Record<string, string> => {
    const all = {
      'x-daybook-console': '1',
      origin: url,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      ...(cookie !== null && { cookie }),
      ...more,
    }
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''))
  }
  return {
    get cookie() {
      return cookie
    },
    async logIn(shown, more = {}) {
      const response = await fetch(`${url}/console/session`, {
        method: 'POST',
        headers: headers(more as Record<string, string>),
        body: JSON.stringify(shown),
      })
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
      return response
    },
    async send(query, more) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: headers(more),
        body: JSON.stringify({ query }),
      })
      return { status: response.status, body: (await response.json()) as Reply['body'] }
    },
    session: (method) => fetch(`${url}/console/session`, { method, headers: headers() }),
  }
}
