import type { JournalRecord } from '@daybook/journal/read/stored-event'
import { memoryIdOf } from '@daybook/memory/state'
import { builder } from '../builder.ts'
import { memoryInterface } from './memory.ts'

export const event = builder.objectRef<JournalRecord>('Event')

const eventStatus = builder.enumType('EventStatus', {
  description: 'Whether an event has what it once said.',
  values: {
    READABLE: { value: 'readable', description: 'All of it is here.' },
    OPAQUE: {
      value: 'opaque',
      description: 'Written by a newer Daybook, or damaged: this one cannot read what it says.',
    },
    ERASED: { value: 'erased', description: 'What it said was taken away for good.' },
  } as const,
})

builder.objectType(event, {
  description:
    'An immutable fact about one memory, in its place in the journal. Where it cannot be read, or was erased, its place and origin are all there is.',
  fields: (t) => ({
    id: t.id({ resolve: ({ envelope }) => envelope.eventId }),
    sequence: t.exposeInt('sequence'),
    hash: t.exposeString('hash', {
      description: 'Its hash in the chain, in hex: together with the sequence the whole name of its place.',
    }),
    status: t.field({ type: eventStatus, resolve: ({ status }) => status }),
    type: t.string({
      description: 'MemoryRemembered, MemoryRevised, MemoryForgotten, MemoryRestored, …',
      resolve: ({ envelope }) => envelope.type,
    }),
    memoryId: t.id({
      description: 'A plain UUID where the kind is not known.',
      resolve: (record) => (record.event === null ? record.memoryId : memoryIdOf(record.event.data.state)),
    }),
    version: t.int({ resolve: ({ envelope }) => envelope.version }),
    changed: t.stringList({
      resolve: (record) => [...(record.event?.data.changed ?? [])],
      complexity: 1,
      description: 'The fields that differ from the state before.',
    }),
    memory: t.field({
      type: memoryInterface,
      nullable: true,
      resolve: ({ event: told }) =>
        told && { state: told.data.state, version: told.version, sequence: told.sequence },
      description: 'The state after it; null where the event cannot be read or was erased.',
    }),
    actor: t.string({
      nullable: true,
      description: 'The name of the key that was used.',
      resolve: ({ envelope }) => envelope.actor,
    }),
    correlationId: t.string({
      nullable: true,
      description: 'The request that caused it.',
      resolve: ({ envelope }) => envelope.correlationId,
    }),
    recordedAt: t.field({ type: 'DateTime', resolve: ({ envelope }) => envelope.recordedAt }),
  }),
})
