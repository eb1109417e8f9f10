import { graphql, type ResultOf } from '@daybook/api/graphql'
import { MEMORY } from './memory.ts'
import { memoryContent } from './memory-content.ts'

export const EVENTS = graphql(
  `subscription Events($after: Int, $afterHash: String, $filter: MemoryFilter) {
    events(after: $after, afterHash: $afterHash, filter: $filter) {
      id sequence hash status type memoryId version changed actor correlationId recordedAt
      writer { keyId agent client trust }
      memory { ...Memory ...MemoryContent }
    }
  }`,
  [MEMORY, memoryContent()],
)

export type AnsweredEvent = ResultOf<typeof EVENTS>['events']
