import { join } from 'node:path'
import { answers } from '../../eval/peers/peer.ts'
import type { OpenLibrary } from './library.ts'

interface Found {
  readonly results: readonly { readonly id: string; readonly metadata: { readonly of: string } }[]
}

interface Memory {
  add(text: string, options: object): Promise<unknown>
  search(query: string, options: object): Promise<Found>
  getAll(options: object): Promise<Found>
  delete(id: string): Promise<unknown>
}

/** mem0's Node package as it stores without a language model (`infer: false`), with its store in a file. */
export const openMem0: OpenLibrary = async ({ folder, load, vectors }) => ({
  async open(group) {
    process.env['MEM0_TELEMETRY'] = 'false'
    const known = new Map<string, readonly number[]>()
    const embed = async (text: string) => {
      const vector = known.get(text)
      return [...((await vectors.ofMemories([{ text, ...(vector && { vector }) }]))[0] ?? [])]
    }
    const embedDocuments = (texts: string[]) => Promise.all(texts.map(embed))
    const model = { embedQuery: embed, embedDocuments }
    const { Memory } = load<{ Memory: new (config: object) => Memory }>('mem0ai/oss')
    const memory = new Memory({
      embedder: { provider: 'langchain', config: { model } },
      vectorStore: {
        provider: 'memory',
        config: { collectionName: 'memories', dimension: 384, dbPath: join(folder, `${group}.db`) },
      },
      // Never asked: nothing is inferred.
      llm: { provider: 'openai', config: { apiKey: 'none' } },
      historyDbPath: join(folder, `${group}.history.db`),
    })
    const filters = { user_id: 'contest' }
    const find = async (question: string, topK: number) =>
      (await memory.search(question, { topK, filters })).results
    const all = async () => (await memory.getAll({ filters, topK: 1e9 })).results
    return {
      ...answers(find, ({ metadata }) => metadata.of),
      async store(memories) {
        for (const { id, text, vector } of memories) {
          if (vector !== undefined) known.set(text, vector)
          await memory.add(text, { userId: 'contest', infer: false, metadata: { of: id } })
          known.delete(text)
        }
      },
      async remove(id) {
        for (const hit of await all()) if (hit.metadata.of === id) await memory.delete(hit.id)
      },
      ids: async () => (await all()).map(({ metadata }) => metadata.of),
      close: async () => {},
    }
  },
  close: async () => {},
})
