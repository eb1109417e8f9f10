import type { ResultOf } from '@daybook/api/graphql'
import * as subscriptions from '@daybook/api/subscriptions'
import { MEMORY } from '@daybook/client/documents/memory'

/**
 * Without the fields of the memory's own kind: the client's document has them, but makes them from the definitions of all
 * kinds, which are 100 kB after gzip.
 */
export const EVENTS = subscriptions.events(
  `
  id sequence hash status type memoryId version changed actor correlationId recordedAt
  writer { keyId agent client trust }
  memory { ...Memory }`,
  [MEMORY],
)

/** An event of the journal, and the memory after it; null if that cannot be read, was erased, or is in quarantine. */
export type JournalEvent = ResultOf<typeof EVENTS>['events']
