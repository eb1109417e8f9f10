import { InMemoryStore } from '@langchain/langgraph-checkpoint'
import { answers } from '../../eval/peers/peer.ts'
import type { OpenLibrary } from './library.ts'

/** LangGraph's own store, with its index for semantic search. It is in memory alone. */
export const openLangGraph: OpenLibrary = async ({ vectors }) => ({
  async open(group) {
    const namespace = ['memories', group]
    const known = new Map<string, readonly number[]>()
    const store = new InMemoryStore({
      index: {
        dims: 384,
        fields: ['text'],
        embeddings: {
          embedQuery: (question: string) => vectors.ofQuestion(question),
          embedDocuments: async (texts: string[]) => {
            const found = await vectors.ofMemories(
              texts.map((text) => ({ text, ...(known.has(text) && { vector: known.get(text) ?? [] }) })),
            )
            for (const text of texts) known.delete(text)
            return found.map((vector) => [...vector])
          },
        } as never,
      },
    })
    const find = (query: string, limit: number) => store.search(namespace, { query, limit })
    return {
      ...answers(find, ({ key }) => key),
      async store(memories) {
        for (const { text, vector } of memories) if (vector !== undefined) known.set(text, vector)
        await store.batch(memories.map(({ id, text }) => ({ namespace, key: id, value: { text } })))
      },
      remove: (id) => store.delete(namespace, id),
      ids: async () => (await store.search(namespace, { limit: 1e9 })).map(({ key }) => key),
      close: async () => {},
    }
  },
  close: async () => {},
})
