import type { ResultOf } from '@daybook/api/graphql'
import * as subscriptions from '@daybook/api/subscriptions'
import { withContent } from '../documents/memory-content.ts'
import { type Memory, WHOLE } from '../memory.ts'
import { type EventsOptions, type Following, followJournal } from './follow-journal.ts'

const EVENTS = subscriptions.events(
  `
  id sequence hash status type memoryId version changed actor correlationId recordedAt
  writer { keyId agent client trust }
  memory { ...Memory ...MemoryContent }`,
  WHOLE,
)

type AnsweredEvent = ResultOf<typeof EVENTS>['events']

/** An event of the journal. It names its place by its `sequence` and `hash`, as a receipt does. */
export type MemoryEvent = Omit<AnsweredEvent, 'memory'> & {
  /** After the event; null if the event cannot be read, was erased, or is in quarantine. */
  readonly memory: Memory | null
}

/** Follows the journal, with the memory after each event. @throws DaybookClientError as `followJournal` */
export async function* followEvents(
  following: Following,
  options?: EventsOptions,
): AsyncGenerator<MemoryEvent, void> {
  for await (const event of followJournal(following, EVENTS, options))
    yield { ...event, memory: event.memory === null ? null : withContent(event.memory) }
}
