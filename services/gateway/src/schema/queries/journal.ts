import { readWithheld } from '@daybook/pgvector/read/withheld'
import { readJournalPage } from '../../journal-page.ts'
import { checkPlace, requirePlace } from '../../journal-place.ts'
import { showRecord } from '../../shown-record.ts'
import { builder } from '../builder.ts'
import { AFTER_HASH } from '../hash-arguments.ts'
import { event } from '../types/event.ts'
import { checkFirst } from '../types/page.ts'

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
