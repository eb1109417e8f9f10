import type { CallToolResult } from '@modelcontextprotocol/server'
import { NOTICE, quoting } from './answers/notice.ts'
import { shortMessage } from './answers/shortened.ts'
import type { ApiError } from './daybook.ts'
import type { Answer } from './tools/tool.ts'

/**
 * The answer of a tool, as MCP wants it. Clients show their model the text, the data, or both, so each says by itself that it quotes
 * memories.
 */
export function toolResult({ data, text, quotes = false, failed = false }: Answer<object>): CallToolResult {
  return {
    content: [{ type: 'text', text: quotes ? quoting(text) : text }],
    structuredContent: { ...(quotes && { notice: NOTICE }), ...data },
    ...(failed && { isError: true }),
  }
}

/** What the model can do about an error, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: 'The user has to give this client a valid API key.',
  FORBIDDEN: 'The user has to give this client a key that may do this.',
  BEHIND: 'Try again in a moment.',
  NOT_FOUND: 'Search for it: the tool search gives ids.',
  CONFLICT: 'Get the memory, then decide again.',
  BODY_TOO_LARGE: 'Send less at a time.',
  RATE_LIMITED: 'Wait before you ask again, and ask for more at a time.',
}

/** An error of the API, as the result of a tool. */
export const errorResult = (error: ApiError): CallToolResult => ({
  content: [{ type: 'text', text: errorText(error) }],
  isError: true,
})

/** An error of the API, for the model: what is wrong, where, and what to do next. */
export function errorText(error: ApiError): string {
  const { code, field, retryable } = error
  const message = shortMessage(error.message)
  const where = field === null || message.includes(field) ? '' : `${field} `
  const advice = ADVICE[code] ?? (retryable ? 'Try again in a moment.' : '')
  const end = /[.!?]$/u.test(message) ? '' : '.'
  return `${code}: ${where}${message}${end}${advice === '' ? '' : ` ${advice}`}`
}
