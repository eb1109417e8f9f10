import { graphql, type ResultOf, type VariablesOf } from '@daybook/api/graphql'
import { MEMORY, type NO_CONTENT } from '@daybook/client/documents/memory'

/** The subscription for one line per event. */
export const TAIL = graphql(`
  subscription Tail($after: Int, $afterHash: String, $filter: MemoryFilter) {
    events(after: $after, afterHash: $afterHash, filter: $filter) {
      sequence hash status type recordedAt memory { kind title }
    }
  }`)

/** The subscription for whole events. @param content `memoryContent()` */
export const tailWhole = (content: typeof NO_CONTENT) =>
  graphql(
    `subscription Tail($after: Int, $afterHash: String, $filter: MemoryFilter) {
      events(after: $after, afterHash: $afterHash, filter: $filter) {
        id sequence hash status type memoryId version changed actor correlationId recordedAt writer { keyId agent client trust }
        memory { ...Memory ...MemoryContent }
      }
    }`,
    [MEMORY, content],
  )

/** The variables of both subscriptions. */
export type TailVariables = VariablesOf<typeof TAIL>

/** An event as `tail` asks for it. */
export type TailedEvent = ResultOf<typeof TAIL>['events']
