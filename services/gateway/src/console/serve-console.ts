import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestTarget } from '@daybook/runtime/http/request-target'
import { answerSession, type SessionParts } from './session-cookie.ts'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { ASK_AGAIN, type Bodies, FOREVER, type StaticFile, staticFile } from '../http/static-file.ts'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Answers what browsers ask the console for. @returns false for a request that is not about the console */
export type AnswerConsole = (
  request: IncomingMessage,
  response: ServerResponse,
  target: RequestTarget,
) => Promise<boolean>

/**
 * Serves the web console: its page at `/` and below `/console/`, whatever follows there (the page itself reads its
 * address, so that any can be reloaded), its files below `/console/assets/`, its login at `/console/session`.
 * @param folder with the built console
 */
export function serveConsole(folder: string, parts: SessionParts): AnswerConsole {
  const files = createConsoleFiles(folder)
  return async (request, response, { path }) => {
    if (path === '/console/session') {
      await answerSession(parts, request, response)
      return true
    }
    if (!readsPage(request)) return false
    if (await files.answerFile(path, request, response)) return true
    const isPage = path === '/' || path === '/console' || path.startsWith('/console/')
    if (!isPage || !wantsHtml(request)) return false
    await files.answerPage(request, response)
    return true
  }
}

const readsPage = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

/** Programs that ask for anything (`*\/*`) get the API's answer. */
const wantsHtml = ({ headers }: IncomingMessage): boolean => (headers.accept ?? '').includes('text/html')

/** Serves the files of the built console. They are read once, at the first request. */
interface ConsoleFiles {
  /** Answers with a file of the console. @returns false for any other path */
  answerFile(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** Answers with the page, which is the same for each of its addresses. */
  answerPage(request: IncomingMessage, response: ServerResponse): Promise<void>
}

interface Loaded {
  readonly page: StaticFile
  /** By name. */
  readonly assets: ReadonlyMap<string, StaticFile>
}

/** Where the files are; their names hold their hashes. */
const ASSETS = '/console/assets/'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * What the page may do: run and load what this server sends, and ask this server. A memory that holds HTML is text in
 * the page; should a mistake make it more, nothing of it runs. `trusted-types` names no policy, so no script can turn a
 * text into HTML or into code.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** @param folder from `findConsoleFolder` */
function createConsoleFiles(folder: string): ConsoleFiles {
  let loading: Promise<Loaded> | undefined
  const loaded = (): Promise<Loaded> => {
    loading ??= load(folder).catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  return {
    async answerFile(path, request, response) {
      if (!path.startsWith(ASSETS)) return false
      const file = (await loaded()).assets.get(path.slice(ASSETS.length))
      file?.answer(request, response)
      return file !== undefined
    },
    answerPage: async (request, response) => (await loaded()).page.answer(request, response),
  }
}

async function load(folder: string): Promise<Loaded> {
  const names = await readdir(join(folder, 'assets'))
  const assets = await Promise.all(
    names
      .filter((name) => extname(name) in TYPES)
      .map(async (name) => {
        const bodies = await readBodies(join(folder, 'assets', name), names.includes(`${name}.br`))
        return [name, staticFile(TYPES[extname(name)] as string, bodies, FOREVER)] as const
      }),
  )
  // Other clients get other answers at the same addresses.
  const page = staticFile(
    'text/html; charset=utf-8',
    await readBodies(join(folder, 'index.html'), false),
    ASK_AGAIN,
    {
      'content-security-policy': POLICY,
      vary: 'accept, accept-encoding',
    },
  )
  return { page, assets: new Map(assets) }
}

async function readBodies(path: string, compressed: boolean): Promise<Bodies> {
  if (!compressed) return { identity: await readFile(path) }
  const [identity, br, gzip] = await Promise.all(['', '.br', '.gz'].map((ending) => readFile(path + ending)))
  return { identity: identity as Buffer, br: br as Buffer, gzip: gzip as Buffer }
}

/** Where the console's files are, seen from a bundle: in the package `daybook`, and in images. */
const BESIDE_A_BUNDLE = ['../console', '../../console/dist']

/**
 * The folder with the built console (`scripts/bundle-console.mjs`).
 * @param given what `DAYBOOK_CONSOLE_DIR` says
 * @returns null if there is none: the gateway then serves no console
 */
export function findConsoleFolder(given: string | undefined, from: string = import.meta.url): string | null {
  const folders =
    given === undefined ? BESIDE_A_BUNDLE.map((one) => fileURLToPath(new URL(one, from))) : [given]
  return folders.find((folder) => existsSync(join(folder, 'index.html'))) ?? null
}
