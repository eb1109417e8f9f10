import { EVENT_TYPES } from '@daybook/memory/events'
import { checkFilter } from '@daybook/memory/filter'
import { memoryIdOf } from '@daybook/memory/state'
import { readWithheld } from '@daybook/pgvector/read/access'
import { type ShownRecord, showRecord } from '../../find-memories.ts'
import { followJournal } from '../../follow-journal.ts'
import { checkPlace, readJournalPage, requirePlace } from '../../journal-page.ts'
import { builder } from '../builder.ts'
import { AFTER_HASH } from '../limits.ts'
import { memoryInterface } from './memory.ts'
import { memoryFilter } from './memory-filter.ts'
import { checkFirst } from './page.ts'
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

/** The most events in one answer. */
const FIRST_MAX = 1_000

builder.queryField('journal', (t) =>
  t.field({
    type: [event],
    complexity: ({ first }) => ({ field: 1, multiplier: Math.max(1, first ?? 100) }),
    description:
      "The project's events after `after`, in order. If events are long, there may be fewer than `first`: a request returns at most 4 MiB. Continue with `after` until there are none. The content of events is withheld while their writer is in quarantine.",
    args: {
      after: t.arg.int({ defaultValue: 0 }),
      afterHash: t.arg.string({ description: AFTER_HASH }),
      first: t.arg.int({ defaultValue: 100, description: '1 to 1,000.' }),
    },
    resolve: async (_, { after, afterHash, first }, { project, journalBudget }) => {
      const limit = checkFirst(first, { fallback: 100, most: FIRST_MAX })
      const place = checkPlace('after', after ?? 0, afterHash)
      if (place?.hash != null) await requirePlace(project, 'after', place)
      const page = { after: place?.sequence ?? 0, first: limit }
      const withheld = await readWithheld(project.db)
      const records = await readJournalPage(project, page, journalBudget)
      return records.map((record) => showRecord(withheld, record))
    },
  }),
)

builder.subscriptionField('events', (t) =>
  t.field({
    type: event,
    description:
      'Events after `after` without a gap, then live; from now on if `after` is not given. If the database has lost events that were delivered, the subscription ends with the error DIVERGED, which names the last common sequence. The content of events is withheld while their writer is in quarantine.',
    args: {
      after: t.arg.int(),
      afterHash: t.arg.string({ description: AFTER_HASH }),
      filter: t.arg({ type: memoryFilter }),
    },
    subscribe: (_, { after, afterHash, filter }, context) => {
      const [from, meant] = [checkPlace('after', after, afterHash), checkFilter(filter)]
      return context.subscribe((ended) => followJournal(context, from, meant, ended))
    },
    resolve: (one) => one,
  }),
)
