/** A memory server to compare with: the same memories go in, the same questions are asked. */
export interface Peer {
  readonly name: string
  /** Opens an empty store for the group's memories. */
  open(group: string): Promise<PeerStore>
  /** Ends what was started for the evaluation. */
  close(): Promise<void>
  /** Where its data is on a disk. Absent if it keeps none there, or nobody knows. */
  readonly folders?: readonly string[]
  /** Starts it again on the same data, after all its processes were killed. Its stores go on. Absent if it keeps nothing. */
  restart?(): Promise<void>
}

/** The store of one group. */
export interface PeerStore {
  /** Stores memories in order. Resolves when the server has acknowledged all. */
  store(memories: readonly PeerMemory[]): Promise<void>
  /** Resolves when all that was stored can be found in every way. Default: at once. */
  settled?(): Promise<void>
  /** @returns ids of memories, best first; at most `limit` */
  search(question: string, limit: number): Promise<readonly string[]>
  /** Removes a memory. */
  remove?(id: string): Promise<void>
  /** The ids of all memories that it holds: one that is there twice is named twice. */
  ids?(): Promise<readonly string[]>
  /** How many bytes an agent reads that asks this question: the whole answer, as the server or function gives it. */
  answerBytes?(question: string, limit: number): Promise<number>
  /** Ends it and removes what it stored. */
  close(): Promise<void>
}

/** A memory to store. */
export interface PeerMemory {
  /** Unique in its group. */
  readonly id: string
  /** What it says as plain text, for servers that know nothing else (`plain-text.ts`). */
  readonly text: string
  /** The vector of the text by MiniLM, where it is known. Default: the peer embeds the text. */
  readonly vector?: readonly number[]
  /** The API's `RememberInput`, for Daybook. */
  readonly input: Readonly<Record<string, unknown>>
}

/** A peer cannot be asked. The message is for the person who named it. */
export class PeerFailed extends Error {}

/** `search` and `answerBytes` of a peer whose answer is a list. @param find the answer as the caller gets it, best first */
export function answers<Hit>(
  find: (question: string, limit: number) => readonly Hit[] | Promise<readonly Hit[]>,
  idOf: (hit: Hit) => string,
): Required<Pick<PeerStore, 'search' | 'answerBytes'>> {
  return {
    search: async (question, limit) => (await find(question, limit)).map(idOf),
    answerBytes: async (question, limit) => Buffer.byteLength(JSON.stringify(await find(question, limit))),
  }
}
