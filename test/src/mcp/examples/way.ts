import type { CallTool } from '@daybook/gateway/testing/mcp-examples'

/** A daemon that runs, and its key of the whole Daybook. */
export interface DaemonAt {
  readonly url: string
  readonly key: string
  readonly dataDir: string
}

/** A client of somebody else over one transport. */
export interface Way {
  readonly name: string
  /** The names of the tools that it is shown. */
  list(): Promise<readonly string[]>
  readonly call: CallTool
  close(): Promise<void>
}
