import { spawn } from 'node:child_process'
import { killAtExit, stopChild } from '../../support/child-process.ts'
import type { Connection } from './connection.ts'
import { fill, type Values } from './fill.ts'
import { jsonRpc } from './json-rpc.ts'
import { PeerFailed } from './peer.ts'

/** A server of the Model Context Protocol that is started as a command and speaks on standard input and output. */
export interface McpPeer {
  readonly command: readonly [string, ...string[]]
  /** More environment variables for it. */
  readonly environment?: Readonly<Record<string, string>>
  readonly store: ToolCall
  readonly search: ToolCall
}

interface ToolCall {
  readonly tool: string
  readonly arguments: unknown
}

interface ToolResult {
  readonly isError?: boolean
  readonly structuredContent?: unknown
  readonly content?: readonly { readonly type: string; readonly text?: string }[]
}

/** Starts the server. Source: the specification of 2025-06-18, "Lifecycle" and "Tools". */
export async function openMcp({ command, environment = {} }: McpPeer, values: Values): Promise<Connection> {
  const [program, ...args] = fill(command, values) as [string, ...string[]]
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...(fill(environment, values) as Record<string, string>) },
  })
  killAtExit(child)
  const rpc = jsonRpc(child, command.join(' '))
  const clientInfo = { name: 'daybook-eval', version: '0.1.0' }
  await rpc.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  rpc.notify('notifications/initialized')
  return {
    async call(template) {
      const { tool, arguments: given } = template as ToolCall
      const result = (await rpc.request('tools/call', { name: tool, arguments: given })) as ToolResult
      const text = result.content?.map((part) => part.text ?? '').join('\n') ?? ''
      if (result.isError === true) throw new PeerFailed(`${tool} answered: ${text.slice(0, 300)}`)
      return result.structuredContent ?? fromJson(text)
    },
    close: async () => void (await stopChild(child)),
  }
}

/** A tool's text as JSON where it is some, else its lines. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.split('\n')
  }
}
