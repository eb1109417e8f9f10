import type { PeerStore } from './peer.ts'

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
