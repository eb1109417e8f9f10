/** A memory server to compare with: the same memories go in, the same questions are asked. */
export interface Peer {
  readonly name: string
  /** Opens an empty store for the group's memories. */
  open(group: string): Promise<PeerStore>
  /** Ends what was started for the evaluation. */
  close(): Promise<void>
}

/** The store of one group. */
export interface PeerStore {
  /** Stores memories in order. Resolves when the server has acknowledged all. */
  store(memories: readonly PeerMemory[]): Promise<void>
  /** Resolves when all that was stored can be found in every way. Default: at once. */
  settled?(): Promise<void>
  /** @returns ids of memories, best first; at most `limit` */
  search(question: string, limit: number): Promise<readonly string[]>
  /** Ends it and removes what it stored. */
  close(): Promise<void>
}

/** A memory to store. */
export interface PeerMemory {
  /** Unique in its group. */
  readonly id: string
  /** What it says as plain text, for servers that know nothing else (`plain-text.ts`). */
  readonly text: string
  /** The API's `RememberInput`, for Daybook. */
  readonly input: Readonly<Record<string, unknown>>
}

/** A peer cannot be asked. The message is for the person who named it. */
export class PeerFailed extends Error {}
