import type { Embedder } from '@daybook/embeddings/embedder'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import type { PeerMemory } from './peer.ts'

/** Vectors by the same MiniLM as Daybook's, for peers that want an embedding function. */
export interface Vectors {
  /** Of memories: those that are known are taken, the others embedded. A long text is embedded by its beginning. */
  ofMemories(memories: readonly Pick<PeerMemory, 'text' | 'vector'>[]): Promise<(readonly number[])[]>
  ofQuestion(question: string): Promise<number[]>
  close(): Promise<void>
}

/** The model is loaded when it is needed first. */
export function miniLmVectors(): Vectors {
  let starting: Promise<Embedder> | undefined
  const embedder = () => (starting ??= startMiniLm({ cacheDir: testCacheDir() }))
  return {
    async ofMemories(memories) {
      const texts = memories.filter(({ vector }) => vector === undefined).map(({ text }) => text)
      const model = texts.length === 0 ? null : await embedder()
      const spans = (await model?.chunk(texts)) ?? []
      const beginnings = texts.map((text, index) => text.slice(0, spans[index]?.[0]?.end))
      const embedded = ((await model?.embed(beginnings)) ?? []).values()
      return memories.map(({ vector }) => vector ?? Array.from(embedded.next().value?.vector ?? []))
    },
    async ofQuestion(question) {
      const model = await embedder()
      try {
        return Array.from((await model.embedQuery(question)).vector)
      } catch {
        // It refuses words that the model does not know. Elsewhere it would be asked all the same.
        return Array.from((await model.embed([question]))[0]?.vector ?? [])
      }
    },
    close: async () => (await starting)?.close(),
  }
}
