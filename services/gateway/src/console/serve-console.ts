import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestTarget } from '@daybook/runtime/http/request-target'
import { answerSession, type SessionParts } from './answer-session.ts'
import { createConsoleFiles } from './console-files.ts'

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
