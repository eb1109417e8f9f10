import type { ResultOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { MEMORY } from '@daybook/client/documents/memory'
import { memoryContent, ownFields } from '@daybook/client/documents/memory-content'
import { read } from './client.ts'

const EVENT = queries.journal(
  `
  id sequence hash status type memoryId version changed actor correlationId recordedAt
  writer { keyId agent client trust }
  memory { ...Memory ...MemoryContent }`,
  [MEMORY, memoryContent()],
)

type Answered = ResultOf<typeof EVENT>['journal'][number]

/** An event with all that it says. */
export type WholeEvent = Answered & {
  /** The fields of the memory's kind after the event; null where the event says nothing any more. */
  readonly content: Readonly<Record<string, unknown>> | null
}

/** The event at a sequence; null if there is none. @throws DaybookClientError; the signal's reason */
export async function readEvent(sequence: number, signal?: AbortSignal): Promise<WholeEvent | null> {
  const [event] = (await read(EVENT, { after: sequence - 1, first: 1 }, { signal })).journal
  if (event === undefined) return null
  return { ...event, content: event.memory === null ? null : ownFields(event.memory) }
}
