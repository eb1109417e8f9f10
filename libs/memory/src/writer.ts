/**
 * Who wrote: the key is proven; the agent and the client are what the caller says of itself. Absent where nobody
 * said.
 */
export type Writer = {
  /** The id of the API key, a UUID. Never the key itself, nor anything that leads to it. */
  readonly key: string
  /** The agent that the request, or the memory in it, names. */
  readonly agent?: string
  /** The program, as in a `User-Agent`. */
  readonly client?: string
}
