import { KEY_FORM, KEY_STYLE, OFFER_KEY, TAKE_KEY } from './graphiql-key.ts'
import { STYLE_WITHOUT_INLINE } from './graphiql-styles.ts'

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

/** GraphiQL, taken apart: what never changes is apart from the page, which is another for each request. */
export interface GraphiQLParts {
  /** 8 MB. */
  readonly script: string
  readonly style: string
  /** Renders the page. */
  page(names: PageNames): string
}

/** What the page refers to. */
export interface PageNames {
  /** Of the page's Content-Security-Policy: only elements that have it may run or style. */
  readonly nonce: string
  /** The addresses of the script and the style. */
  readonly script: string
  readonly style: string
}

/** Takes GraphiQL apart. It needs no other server. */
export async function loadGraphiQL(): Promise<GraphiQLParts> {
  // Imported late: it takes no memory if nobody opens the page.
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const whole = renderGraphiQL({
    subscriptionsProtocol: 'SSE',
    title: 'Daybook',
    defaultQuery: FIRST_QUERY,
    // Without one, Yoga's own would be in the page, with 150 kB.
    favicon: 'data:,',
  })
  const [style, afterStyle] = between(whole, '<style>', whole.indexOf('</style>'), '</style>')
  const [script] = between(whole, '<script>', whole.lastIndexOf('</script>'), '</script>', afterStyle)
  return { script, style, page: renderPage }
}

function between(
  text: string,
  open: string,
  end: number,
  close: string,
  from = 0,
): [content: string, after: number] {
  const begin = text.indexOf(open, from)
  // A new version of GraphiQL may be built otherwise: better no page than half a page.
  if (begin < 0 || end < begin) throw new Error(`GraphiQL has no ${open} where it is expected`)
  return [text.slice(begin + open.length, end), end + close.length]
}

function renderPage({ nonce, script, style }: PageNames): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Daybook</title>
    <link rel="icon" href="data:,">
    <script nonce="${nonce}">{${STYLE_WITHOUT_INLINE}}{${TAKE_KEY}}</script>
    <link rel="stylesheet" nonce="${nonce}" href="${style}">
    <style nonce="${nonce}">${KEY_STYLE}</style>
  </head>
  <body id="body" class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
    ${KEY_FORM}
    <script nonce="${nonce}">{${OFFER_KEY}}</script>
    <div id="root"></div>
    <script nonce="${nonce}" src="${script}"></script>
  </body>
</html>
`
}
