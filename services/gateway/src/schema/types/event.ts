import { EVENT_TYPES } from '@daybook/memory/events'
import { memoryIdOf } from '@daybook/memory/state'
import type { ShownRecord } from '../../shown-record.ts'
import { builder } from '../builder.ts'
import { memoryInterface } from './memory.ts'
import { writer } from './writer.ts'

/** The type `Event`. */
export const event = builder.objectRef<ShownRecord>('Event')

const eventStatus = builder.enumType('EventStatus', {
  description: 'Whether the content of an event is available.',
  values: {
    READABLE: { value: 'readable', description: 'The whole event is available.' },
    OPAQUE: {
      value: 'opaque',
      description: 'Written by a newer Daybook, or damaged: this one cannot read its content.',
    },
    ERASED: { value: 'erased', description: 'Its content was removed for good.' },
    QUARANTINED: {
      value: 'quarantined',
      description:
        'Its writer, or an author of the memory, is in quarantine: its content is withheld from `journal` and `events` until that is released.',
    },
  } as const,
})

builder.objectType(event, {
  description:
    'An immutable fact about one memory, at its place in the journal. If it was erased or cannot be read, only its place and origin are available.',
  fields: (t) => ({
    id: t.id({ resolve: ({ envelope }) => envelope.eventId }),
    sequence: t.exposeInt('sequence'),
    hash: t.exposeString('hash', {
      description: 'Its hash in the chain, in hex. Sequence and hash together name its place exactly.',
    }),
    status: t.field({
      type: eventStatus,
      resolve: ({ status, withheld }) => (withheld === true ? 'quarantined' : status),
    }),
    type: t.string({
      description: `${EVENT_TYPES.join(', ')}, …`,
      resolve: ({ envelope }) => envelope.type,
    }),
    memoryId: t.id({
      description: 'The memory’s id; a plain UUID if the kind is not known.',
      resolve: (record) => (record.event === null ? record.memoryId : memoryIdOf(record.event.data.state)),
    }),
    version: t.int({ resolve: ({ envelope }) => envelope.version }),
    changed: t.stringList({
      resolve: ({ event: told, withheld }) =>
        withheld === true || told === null ? [] : [...told.data.changed],
      complexity: 1,
      description: 'The fields that the event changed.',
    }),
    memory: t.field({
      type: memoryInterface,
      nullable: true,
      resolve: ({ event: told, withheld }) =>
        withheld === true || told === null
          ? null
          : { state: told.data.state, version: told.version, sequence: told.sequence },
      description:
        'The memory after the event; null if the event cannot be read, was erased, or is in quarantine.',
    }),
    actor: t.string({
      nullable: true,
      description: 'The name of the key that was used; null for what Daybook does itself, such as an expiry.',
      resolve: ({ envelope }) => envelope.actor,
    }),
    writer: t.field({
      type: writer,
      nullable: true,
      description:
        'The key, agent and client that wrote it; null for what Daybook does itself, and for events that are older than this field.',
      resolve: ({ event: told }) => told?.data.writer ?? null,
    }),
    correlationId: t.string({
      nullable: true,
      description: 'The request that caused it, or the operation, such as an undo.',
      resolve: ({ envelope }) => envelope.correlationId,
    }),
    recordedAt: t.field({ type: 'DateTime', resolve: ({ envelope }) => envelope.recordedAt }),
  }),
})
