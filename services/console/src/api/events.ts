import { graphql, type ResultOf } from '@daybook/api/graphql'
import { MEMORY } from '@daybook/client/documents/memory'

/**
 * Without the fields of the memory's own kind: the client's document has them, but makes them from the definitions of all
 * kinds, which are 100 kB after gzip.
 */
export const EVENTS = graphql(
  `subscription Events($after: Int, $afterHash: String, $filter: MemoryFilter) {
    events(after: $after, afterHash: $afterHash, filter: $filter) {
      id sequence hash status type memoryId version changed actor correlationId recordedAt
      writer { keyId agent client trust }
      memory { ...Memory }
    }
  }`,
  [MEMORY],
)

/** An event of the journal, and the memory after it; null if that cannot be read, was erased, or is in quarantine. */
export type JournalEvent = ResultOf<typeof EVENTS>['events']
