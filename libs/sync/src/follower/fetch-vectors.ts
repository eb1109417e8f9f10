import { storeTravellingVectors } from '@daybook/embeddings/travelling-vectors'
import type { ImportedEvent } from '@daybook/journal/import/check-project'
import { contentHash } from '@daybook/memory/content'
import { embeddedTextOf } from '@daybook/memory/state'
import { upcast } from '@daybook/memory/upcast'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Logger } from '@daybook/runtime/logger'
import { MOST_TEXTS, vectorsAnswered } from '../wire/vectors.ts'
import type { HomeClient } from './home-client.ts'

/** Fetches the vectors of copied texts from the home, beside the copying. */
export interface VectorFetcher {
  /** Fetches those of the events' texts. It returns at once. */
  of(events: readonly ImportedEvent[]): void
}

/** Texts whose vectors wait to be fetched, at most: beyond that, the local model may well be faster. */
const MOST_WAITING = 20_000

/**
 * Creates a fetcher of one connection. The local model embeds what the home does not have, has not embedded yet, or has
 * embedded with another model; what is needed before it comes; and what the home answers with that is no vector of the model.
 */
export function createVectorFetcher(
  scope: ProjectScope,
  home: HomeClient,
  { modelId, dimension }: { readonly modelId: string; readonly dimension: number },
  { signal, onFetched, logger }: { signal: AbortSignal; onFetched: (texts: number) => void; logger: Logger },
): VectorFetcher {
  let waiting: string[] = []
  let running: Promise<void> | null = null
  const run = async (): Promise<void> => {
    while (waiting.length > 0 && !signal.aborted) {
      const hashes = waiting.splice(0, MOST_TEXTS)
      const { texts } = await home.ask('vectors', { modelId, hashes }, vectorsAnswered, signal)
      // A vector that the model does not make would keep its memory out of the index.
      const usable = texts.filter(
        ({ hash, chunks }) =>
          hashes.includes(hash) && chunks.every(({ vector }) => isVector(vector, dimension)),
      )
      onFetched(await storeTravellingVectors(scope, modelId, usable))
    }
  }
  const begin = (): void => {
    running ??= run()
      .catch((error: unknown) => {
        waiting = []
        logger.info(
          { projectId: scope.projectId, error },
          'vectors could not be fetched from the home: the local model makes them',
        )
      })
      .finally(() => {
        running = null
        if (waiting.length > 0 && !signal.aborted) begin()
      })
  }
  return {
    of(events) {
      if (waiting.length > MOST_WAITING) return
      waiting.push(...hashesOf(events))
      begin()
    },
  }
}

/** The largest number that Postgres keeps in half a float. */
const LARGEST = 65_504

function isVector(text: string, dimension: number): boolean {
  const numbers = text.slice(1, -1).split(',')
  return (
    numbers.length === dimension && numbers.every((one) => one !== '' && Math.abs(Number(one)) <= LARGEST)
  )
}

/** The hashes of the texts of the memories' newest versions among the events. */
function hashesOf(events: readonly ImportedEvent[]): string[] {
  const newest = new Map<string, string>()
  for (const { memoryId, type, schemaVersion, data } of events) {
    newest.delete(memoryId)
    if (data === null) continue
    try {
      const { state } = upcast({ memoryId, type, schemaVersion, data }).data
      if (state.forgottenAt === null) newest.set(memoryId, contentHash(embeddedTextOf(state)).toString('hex'))
    } catch {
      // The projection says what is wrong with it.
    }
  }
  return [...new Set(newest.values())]
}
