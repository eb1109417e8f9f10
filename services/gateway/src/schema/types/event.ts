import type { JournalEvent } from '@daybook/memory/events'
import { memoryIdOf } from '@daybook/memory/state'
import { builder } from '../builder.ts'
import { memoryInterface } from './memory.ts'

export const event = builder.objectRef<JournalEvent>('Event')

builder.objectType(event, {
  description: 'An immutable fact about one memory, in its place in the journal.',
  fields: (t) => ({
    id: t.id({ resolve: ({ eventId }) => eventId }),
    sequence: t.exposeInt('sequence'),
    hash: t.exposeString('hash', {
      description: 'Its hash in the chain, in hex: together with the sequence the whole name of its place.',
    }),
    type: t.exposeString('type', {
      description: 'MemoryRemembered, MemoryRevised, MemoryForgotten, MemoryRestored, …',
    }),
    memoryId: t.id({ resolve: ({ data }) => memoryIdOf(data.state) }),
    version: t.exposeInt('version'),
    changed: t.stringList({
      resolve: ({ data }) => [...data.changed],
      complexity: 1,
      description: 'The fields that differ from the state before.',
    }),
    memory: t.field({
      type: memoryInterface,
      nullable: true,
      resolve: ({ data, version, sequence }) => ({ state: data.state, version, sequence }),
      description: 'The state after it.',
    }),
    actor: t.exposeString('actor', { nullable: true, description: 'The name of the key that was used.' }),
    correlationId: t.exposeString('correlationId', {
      nullable: true,
      description: 'The request that caused it.',
    }),
    recordedAt: t.field({ type: 'DateTime', resolve: ({ recordedAt }) => recordedAt }),
  }),
})
