/** The environment variable that holds a remote daemon's key. Configurations name it; none holds a key. */
export const KEY_VARIABLE = 'DAYBOOK_API_KEY'

/** Daybook as a program that the client starts and speaks with over its standard input and output. */
export interface StdioServer {
  readonly transport: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  /** Whether the client must pass it `DAYBOOK_API_KEY`, because no data folder holds the key. */
  readonly needsKey: boolean
}

/** Daybook as an address that the client sends HTTP to. Its key is always in `DAYBOOK_API_KEY`. */
export interface HttpServer {
  readonly transport: 'http'
  readonly url: string
  /** Beside `authorization`. */
  readonly headers: Readonly<Record<string, string>>
}

/** What a client is told of Daybook. */
export type Server = StdioServer | HttpServer
