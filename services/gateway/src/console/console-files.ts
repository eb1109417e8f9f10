import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { ASK_AGAIN, type Bodies, FOREVER, type StaticFile, staticFile } from '../http/static-file.ts'

/** Serves the files of the built console. They are read once, at the first request. */
export interface ConsoleFiles {
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
export const ASSETS = '/console/assets/'

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
export function createConsoleFiles(folder: string): ConsoleFiles {
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
