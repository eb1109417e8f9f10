import { answers } from '../../eval/peers/peer.ts'
import type { OpenLibrary } from './library.ts'

interface Hit {
  readonly score: number
  readonly document: { readonly id: string; readonly text: string }
}

interface Orama {
  create(options: object): object
  insert(db: object, document: object): Promise<string>
  remove(db: object, id: string): Promise<boolean>
  search(db: object, parameters: object): Promise<{ readonly hits: readonly Hit[] }>
}

/** Orama's hybrid search of words and vectors, in memory alone. */
export const openOrama: OpenLibrary = async ({ load, vectors }) => ({
  async open() {
    const orama = load<Orama>('@orama/orama')
    const db = orama.create({
      schema: { id: 'string', text: 'string', embedding: 'vector[384]' },
      components: { tokenizer: { language: 'english', stemming: true } },
    })
    const stored = new Set<string>()
    const find = async (term: string, limit: number) => {
      const value = await vectors.ofQuestion(term)
      const vector = { value, property: 'embedding' }
      const { hits } = await orama.search(db, {
        term,
        mode: 'hybrid',
        properties: ['text'],
        vector,
        limit,
        similarity: 0,
      })
      return hits.map(({ score, document: { id, text } }) => ({ id, score, text }))
    }
    return {
      ...answers(find, ({ id }) => id),
      async store(memories) {
        const embeddings = await vectors.ofMemories(memories)
        for (const [index, { id, text }] of memories.entries()) {
          await orama.insert(db, { id, text, embedding: embeddings[index] })
          stored.add(id)
        }
      },
      async remove(id) {
        await orama.remove(db, id)
        stored.delete(id)
      },
      ids: async () => [...stored],
      close: async () => {},
    }
  },
  close: async () => {},
})
