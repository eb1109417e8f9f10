import { answers } from '../../eval/peers/peer.ts'
import type { OpenLibrary } from './library.ts'

interface Index {
  addAll(documents: readonly object[]): void
  has(id: string): boolean
  discard(id: string): void
  search(query: string): { readonly id: string; readonly text: string; readonly score: number }[]
}

/** MiniSearch: BM25+ over words, in memory alone. */
export const openMiniSearch: OpenLibrary = async ({ load }) => ({
  async open() {
    const MiniSearch = load<new (options: object) => Index>('minisearch')
    const index = new MiniSearch({ fields: ['text'], storeFields: ['text'] })
    const stored = new Set<string>()
    return {
      ...answers(
        (question, limit) => index.search(question).slice(0, limit),
        ({ id }) => id,
      ),
      async store(memories) {
        index.addAll(memories.filter(({ id }) => !index.has(id)).map(({ id, text }) => ({ id, text })))
        for (const { id } of memories) stored.add(id)
      },
      async remove(id) {
        index.discard(id)
        stored.delete(id)
      },
      ids: async () => [...stored],
      close: async () => {},
    }
  },
  close: async () => {},
})
