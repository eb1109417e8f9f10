import { readFileSync } from 'node:fs'
import { connectMcp, REVISIONS } from '@daybook/gateway/testing/mcp-client'
import type { Client } from '@modelcontextprotocol/client'
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { connectStdio } from '../stdio-client.ts'

/** A connected client of the SDK. */
export interface FuzzClient {
  readonly name: string
  readonly client: Client
  /** What a process of ours has written on its standard error so far. */
  stderr(): string
  /** Bytes of memory of a process of ours; null over HTTP. */
  memory(): number | null
}

const [MODERN, LEGACY] = REVISIONS

/** Connects over HTTP. */
export async function httpClient(
  name: string,
  at: { readonly url: string; readonly key: string },
  revision: 'modern' | 'legacy' = 'modern',
): Promise<FuzzClient> {
  const { mode } = revision === 'modern' ? MODERN : LEGACY
  const client = await connectMcp(at.url, at.key, { mode, name })
  return { name, client, stderr: () => '', memory: () => null }
}

/** Connects to a `daybook mcp` of its own. */
export async function stdioClient(
  name: string,
  at: { readonly url: string; readonly key: string; readonly folder: string },
  revision: 'modern' | 'legacy',
): Promise<FuzzClient> {
  const client = await connectStdio(at.folder, {
    name,
    mode: revision === 'modern' ? MODERN.mode : LEGACY.mode,
    reach: ['--url', at.url],
    environment: { DAYBOOK_API_KEY: at.key },
  })
  const transport = client.transport as StdioClientTransport
  let said = ''
  transport.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  return {
    name,
    client,
    stderr: () => said,
    memory: () => residentBytes(transport.pid),
  }
}

/** Null where the system has no /proc. */
function residentBytes(pid: number | null): number | null {
  try {
    const kilobytes = /^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) * 1024
  } catch {
    return null
  }
}
