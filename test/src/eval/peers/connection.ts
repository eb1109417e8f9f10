/** A way to talk to a described server. */
export interface Connection {
  /** Sends the filled template of a call. @returns the answer as JSON @throws PeerFailed */
  call(template: unknown): Promise<unknown>
  close(): Promise<void>
}
