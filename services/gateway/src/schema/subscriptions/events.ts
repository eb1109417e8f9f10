import { checkFilter } from '@daybook/memory/check-filter'
import { followJournal } from '../../follow-journal.ts'
import { checkPlace } from '../../journal-place.ts'
import { builder } from '../builder.ts'
import { AFTER_HASH } from '../hash-arguments.ts'
import { event } from '../types/event.ts'
import { memoryFilter } from '../types/memory-filter.ts'

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
