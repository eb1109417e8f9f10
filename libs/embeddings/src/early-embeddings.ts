import type { Embedder } from './embedder.ts'
import { type EmbeddedChunk, embedInChunks } from './embedders.ts'
import type { QueuedText, TextPlace } from './store.ts'

/** A text of a project that is about to be queued. */
export interface ComingText extends TextPlace, QueuedText {}

/**
 * Embeds texts while the transaction that queues them is still running. It saves its time and nothing else:
 * the queue decides what is stored and by whom, and a result that nobody takes is forgotten. Such a text was
 * embedded twice if another process's worker leased it first, in the millisecond after the commit.
 */
export interface EarlyEmbeddings {
  /** Begins with those for which there is room. */
  begin(texts: readonly ComingText[]): void
  /** The text's result, which is forgotten here; undefined if it was not begun. */
  take(text: TextPlace): Promise<EmbeddedChunk[]> | undefined
}

/**
 * Texts at a time. During a burst the queue serves better: the texts that it brings together are sorted by
 * length, and no worker of another process is tempted to embed the same ones.
 */
const MOST_TEXTS = 4
/** In UTF-16 units. Longer texts take so long that their transaction does not matter. */
const LONGEST_TEXT = 2_000
/** Milliseconds for which a result waits: if the text had its vector already, nobody comes for it. */
const KEPT_MS = 1_000

interface EarlyEmbedding {
  readonly chunks: Promise<EmbeddedChunk[]>
  /** In the time of `performance.now`; null while it is computed. */
  endedAt: number | null
}

const keyOf = ({ projectId, hash }: TextPlace) => `${projectId} ${hash.toString('hex')}`

/** Nothing is begun yet. */
export function createEarlyEmbeddings(embedder: Embedder): EarlyEmbeddings {
  const begun = new Map<string, EarlyEmbedding>()
  const forgetOld = () => {
    for (const [key, { endedAt }] of begun)
      if (endedAt !== null && endedAt < performance.now() - KEPT_MS) begun.delete(key)
  }
  return {
    begin(texts) {
      forgetOld()
      if (texts.length > MOST_TEXTS) return
      for (const coming of texts) {
        const key = keyOf(coming)
        if (begun.size >= MOST_TEXTS || coming.text.length > LONGEST_TEXT || begun.has(key)) continue
        const chunks = embedInChunks(embedder, [coming.text]).then(([made]) => made ?? [])
        const entry: EarlyEmbedding = { chunks, endedAt: null }
        const end = () => {
          entry.endedAt = performance.now()
        }
        // Whoever takes it sees the error.
        chunks.then(end, end)
        begun.set(key, entry)
      }
    },
    take(place) {
      const key = keyOf(place)
      const chunks = begun.get(key)?.chunks
      begun.delete(key)
      return chunks
    },
  }
}
