import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ASTVisitor, GraphQLError, ValidationContext } from 'graphql'
import { createGraphQLError, type Plugin } from 'graphql-yoga'
import { makeStaticFile, type StaticFile } from './static-file.ts'

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
interface PageNames {
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

/*
 * GraphiQL is the same page for everybody and needs no key, but its requests do. The key is kept in the tab's
 * session storage: it disappears with the tab, and neither other sites nor later users of the browser find
 * it.
 */

/**
 * Runs in the page before GraphiQL. The address's fragment, which browsers do not send to servers, may hold a
 * code that works once; it is exchanged for the API key, which this tab keeps and adds to requests that have no
 * key. Requests wait for that, because GraphiQL asks for the schema when it starts.
 */
export const TAKE_KEY = `
  const send = window.fetch;
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code) history.replaceState(null, '', location.pathname + location.search);
  const exchange = async () => {
    const answer = await send('/graphql/key', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }),
    });
    const { key, errors } = await answer.json();
    if (!key) return errors[0].message;
    sessionStorage.setItem('daybook-key', key);
  };
  window.daybookKeyProblem = code
    ? exchange().catch(() => 'Daybook did not answer: paste the key')
    : Promise.resolve();
  window.fetch = async (target, options = {}) => {
    await window.daybookKeyProblem;
    const key = sessionStorage.getItem('daybook-key');
    const headers = new Headers(options.headers);
    const own = new URL(target.url ?? target, location.href).origin === location.origin;
    if (key && own && !headers.has('authorization')) headers.set('authorization', 'Bearer ' + key);
    return send(target, { ...options, headers });
  };
`

/**
 * Handles the form: keeps the pasted key and reloads the page, because GraphiQL asks for the schema when it
 * starts.
 */
export const OFFER_KEY = `
  const form = document.getElementById('daybook-key');
  const field = form.elements.key;
  window.daybookKeyProblem.then((problem) => {
    if (problem) field.placeholder = problem;
    else if (sessionStorage.getItem('daybook-key')) {
      field.placeholder = 'A key is set for this tab. Paste another, or leave this empty to forget it.';
      form.elements.use.textContent = 'Change';
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const key = field.value.trim();
    if (key && !/^[!-~]+$/.test(key)) {
      field.setCustomValidity('A key has letters, digits and signs of ASCII only: copy it once more.');
      return field.reportValidity();
    }
    if (key) sessionStorage.setItem('daybook-key', key);
    else sessionStorage.removeItem('daybook-key');
    location.reload();
  });
`

/** GraphiQL fills the window below the form. */
const KEY_STYLE = `
    body { display: flex; flex-direction: column; height: 100vh; margin: 0 }
    #root { flex: 1; min-height: 0; height: auto !important }
    #daybook-key { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; padding: 8px 12px; font: 14px system-ui, sans-serif;
      border-bottom: 1px solid #8884 }
    #daybook-key input { -webkit-text-security: disc; flex: 1; min-width: 16em; padding: 4px 8px; font: inherit }
    #daybook-key button { padding: 4px 12px; font: inherit }
`

/** The form for the key, above GraphiQL. */
export const KEY_FORM = `<form id="daybook-key" method="dialog">
    <label for="daybook-key-field">API key</label>
    <input id="daybook-key-field" name="key" type="text" autocomplete="off" spellcheck="false" placeholder="Paste it here">
    <button name="use" type="submit">Use</button>
    <span>The first start wrote it to <code>&lt;data folder&gt;/api-key</code>, as a rule <code>.daybook/api-key</code>.
      It stays in this tab.</span>
  </form>`

/**
 * Serves GraphiQL: a small page that is another for each request, because its Content-Security-Policy has a
 * nonce, and a script and a style that browsers keep. These are made and compressed once, at the first request.
 */
export interface GraphiQLPage {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Answers with the page's script or style. @returns false for any other path */
  answerFile(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean>
}

interface GraphiqlFiles {
  readonly page: GraphiQLParts['page']
  /** By path. */
  readonly files: ReadonlyMap<string, StaticFile>
  readonly script: string
  readonly style: string
}

const FILES = /^\/graphql\/graphiql-[\w-]+\.(?:js|css)$/u

/** @param load takes GraphiQL apart */
export function createGraphiQLPage(load: () => Promise<GraphiQLParts> = loadGraphiQL): GraphiQLPage {
  let making: Promise<GraphiqlFiles> | undefined
  const made = (): Promise<GraphiqlFiles> => {
    making ??= load()
      .then(make)
      .catch((error: unknown) => {
        making = undefined
        throw error
      })
    return making
  }
  return {
    async answer({ method }, response) {
      const { page, script, style } = await made()
      const nonce = randomBytes(16).toString('base64url')
      const body = page({ nonce, script, style })
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'content-security-policy': policyWith(nonce),
        // Other clients get GraphQL's answers at the same address.
        vary: 'accept',
      })
      response.end(method === 'HEAD' ? undefined : body)
    },
    async answerFile(path, request, response) {
      if (!FILES.test(path)) return false
      const file = (await made()).files.get(path)
      file?.answer(request, response)
      return file !== undefined
    },
  }
}

async function make({ page, script, style }: GraphiQLParts): Promise<GraphiqlFiles> {
  const [js, css] = await Promise.all([
    makeStaticFile('text/javascript; charset=utf-8', script),
    makeStaticFile('text/css; charset=utf-8', style),
  ])
  const paths = { script: `/graphql/graphiql-${js.hash}.js`, style: `/graphql/graphiql-${css.hash}.css` }
  const files = new Map([
    [paths.script, js],
    [paths.style, css],
  ])
  return { page, files, ...paths }
}

/**
 * What the page may do. It holds its user's key: so it sends nothing elsewhere (`connect-src`), no other page
 * shows it in a frame and steals clicks, and nothing runs that is not ours.
 */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    // The editor's icons and fonts are in its style; its workers are made from texts in its script.
    'font-src data:',
    'img-src data:',
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * Runs first in the page. GraphiQL's editor (Monaco) makes style elements while it runs, and places its lines by
 * style attributes in texts of HTML. A Content-Security-Policy without 'unsafe-inline' blocks both: in Chromium 147
 * all lines of the editor lay upon each other. So this gives the page's nonce to style elements that scripts make,
 * and sets such attributes through `element.style`, which the policy allows. Styles and scripts in HTML that
 * anybody else gets into the page stay blocked.
 *
 * In a text that was escaped for HTML, `<` begins an element, and so nothing that a user wrote is changed.
 */
const STYLE_WITHOUT_INLINE = `
  const { nonce } = document.currentScript;
  const { createElement } = Document.prototype;
  Document.prototype.createElement = function (name, options) {
    const element = createElement.call(this, name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };

  const setAside = (html) => String(html).replace(/(<[a-z][^<>]*?\\s)style=/gi, '$1data-style=');
  const putBack = (root) => {
    for (const element of root.querySelectorAll('[data-style]')) {
      element.style.cssText = element.getAttribute('data-style');
      element.removeAttribute('data-style');
    }
  };
  const { insertAdjacentHTML, setAttribute } = Element.prototype;
  const inner = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML');
  Object.defineProperty(Element.prototype, 'innerHTML', {
    ...inner,
    set(html) {
      inner.set.call(this, setAside(html));
      putBack(this);
    },
  });
  Element.prototype.insertAdjacentHTML = function (place, html) {
    insertAdjacentHTML.call(this, place, setAside(html));
    putBack(this.parentNode ?? this);
  };
  Element.prototype.setAttribute = function (name, value) {
    if (name === 'style') this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };
`

/** Refuses `__schema` and `__type`. `__typename` stays: clients need it to tell the members of a union apart. */
function refuseIntrospection(context: ValidationContext): ASTVisitor {
  return {
    Field(node) {
      if (node.name.value !== '__schema' && node.name.value !== '__type') return
      context.reportError(
        createGraphQLError(
          `"${node.name.value}" cannot be asked here: introspection is switched off (DAYBOOK_INTROSPECTION=on allows it). The schema is in services/gateway/schema.graphql`,
          { nodes: [node], extensions: { code: 'INTROSPECTION_OFF', http: { status: 403, spec: false } } },
        ),
      )
    },
  }
}

/**
 * Switches introspection off, and the names that GraphQL suggests for misspelt ones: they tell the schema too.
 */
export function withoutIntrospection(): Plugin {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(refuseIntrospection)
      return ({ result, setResult }) => setResult((result as readonly GraphQLError[]).map(withoutSuggestion))
    },
  }
}

const withoutSuggestion = ({ message, nodes, extensions }: GraphQLError): GraphQLError =>
  createGraphQLError(message.replace(/ Did you mean [^?]*\?/u, ''), {
    ...(nodes !== undefined && { nodes }),
    extensions,
  })
