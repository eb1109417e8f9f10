import { checkFilter } from '@daybook/memory/filter'
import { checkAfter, followJournal } from '../../follow-journal.ts'
import { builder } from '../builder.ts'
import { event } from '../types/event.ts'
import { memoryFilter } from '../types/memory-filter.ts'

builder.subscriptionField('events', (t) =>
  t.field({
    type: event,
    description: 'Events from `after` on without a gap, then live; from now on where `after` is not given.',
    args: { after: t.arg.int(), filter: t.arg({ type: memoryFilter }) },
    subscribe: (_, { after, filter }, context) => {
      const [from, meant] = [checkAfter(after), checkFilter(filter)]
      return context.subscribe((ended) => followJournal(context, from, meant, ended))
    },
    resolve: (one) => one,
  }),
)
