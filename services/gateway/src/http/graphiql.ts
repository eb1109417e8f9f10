/**
 * Runs in the page before GraphiQL: takes the API key out of the address's fragment, which browsers do not send to
 * servers, keeps it for this tab, and adds it to requests that have no key of their own.
 */
const TAKE_KEY = `
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (given) {
    sessionStorage.setItem('daybook-key', given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  const send = window.fetch;
  window.fetch = (target, options = {}) => {
    const key = sessionStorage.getItem('daybook-key');
    const headers = new Headers(options.headers);
    const own = new URL(target.url ?? target, location.href).origin === location.origin;
    if (key && own && !headers.has('authorization')) headers.set('authorization', 'Bearer ' + key);
    return send(target, { ...options, headers });
  };
`

const FIRST_QUERY = `# Remember something …
mutation Remember {
  remember(input: { content: { insight: { key: "jwt-validation", content: "Always validate JWT expiration" } } }) {
    ... on Remembered { memory { id title } sequence }
    ... on DaybookError { code message }
  }
}

# … and find it again, by words or by meaning.
query Search {
  search(query: "token security") {
    hits { memory { id kind title } score snippet }
    degraded
  }
}
`

/** The GraphiQL page, complete without any other server: some 9 MB. */
export async function renderOfflineGraphiQL(): Promise<string> {
  // As a module of its own it stays out of memory where nobody opens the page.
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const page = renderGraphiQL({ subscriptionsProtocol: 'SSE', title: 'Daybook', defaultQuery: FIRST_QUERY })
  return page.replace('<head>', () => `<head><script>${TAKE_KEY}</script>`)
}
