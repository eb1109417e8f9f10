import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type GraphiQLParts, loadGraphiQL } from './graphiql.ts'
import { makeStaticFile, type StaticFile } from './static-file.ts'

/**
 * Serves GraphiQL: a small page that is another for each request, because its Content-Security-Policy has a
 * nonce, and a script and a style that browsers keep. These are made and compressed once, at the first request.
 */
export interface GraphiQLPage {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Answers with the page's script or style. @returns false for any other path */
  answerFile(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean>
}

interface Made {
  readonly page: GraphiQLParts['page']
  /** By path. */
  readonly files: ReadonlyMap<string, StaticFile>
  readonly script: string
  readonly style: string
}

const FILES = /^\/graphql\/graphiql-[\w-]+\.(?:js|css)$/u

/** @param load takes GraphiQL apart */
export function createGraphiQLPage(load: () => Promise<GraphiQLParts> = loadGraphiQL): GraphiQLPage {
  let making: Promise<Made> | undefined
  const made = (): Promise<Made> => {
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

async function make({ page, script, style }: GraphiQLParts): Promise<Made> {
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
