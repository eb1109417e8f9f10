import { KEY_FORM, OFFER_KEY, TAKE_KEY } from './graphiql-key.ts'

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

/** The element of the page that GraphiQL renders into. */
const ROOT = '<div id="root"></div>'

/** Renders the GraphiQL page, some 9 MB. It needs no other server. */
export async function renderOfflineGraphiQL(): Promise<string> {
  // Imported late: it takes no memory if nobody opens the page.
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const page = renderGraphiQL({ subscriptionsProtocol: 'SSE', title: 'Daybook', defaultQuery: FIRST_QUERY })
  return page
    .replace('<head>', () => `<head><script>${TAKE_KEY}</script>`)
    .replace(ROOT, () => `${KEY_FORM}<script>{${OFFER_KEY}}</script>${ROOT}`)
}
