import type { Entry } from '../config/format.ts'
import { type HttpServer, KEY_VARIABLE, type StdioServer } from '../server.ts'
import type { McpClient } from './client.ts'

/**
 * `command`, `args` and `env`, as almost every client writes a server that it starts.
 * @returns null if the server needs the key and the client cannot name a variable
 */
export function stdioEntry(
  { command, args, needsKey }: StdioServer,
  reference: McpClient['reference'],
): Entry | null {
  if (!needsKey) return { command, args: [...args] }
  if (reference === null) return null
  return { command, args: [...args], env: { [KEY_VARIABLE]: reference(KEY_VARIABLE) } }
}

/** The headers of a server that is reached over HTTP, with the key by the name of its variable. */
export const httpHeaders = (
  { headers }: HttpServer,
  reference: (variable: string) => string,
): Record<string, string> => ({ Authorization: `Bearer ${reference(KEY_VARIABLE)}`, ...headers })

/** `${NAME}`, as shells write it. */
export const inBraces = (variable: string): string => `\${${variable}}`

/** `${env:NAME}`, as VS Code and its relatives write it. */
export const inEnvBraces = (variable: string): string => `\${env:${variable}}`
