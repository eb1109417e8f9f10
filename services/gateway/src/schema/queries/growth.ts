import { checkFilter } from '@daybook/memory/check-filter'
import { ValidationError } from '@daybook/memory/errors'
import { readGrowth } from '@daybook/pgvector/read/read-growth'
import { builder } from '../builder.ts'
import { growth } from '../types/growth.ts'
import { memoryFilter } from '../types/memory-filter.ts'

/** It reads the memories that match, as `facets` does, and their events. */
const GROWTH_COST = 3_000
/** The most series of kinds, and of contexts, and how many unless a caller says. */
const [VALUES_MAX, VALUES] = [20, 6]

builder.queryField('growth', (t) =>
  t.field({
    type: growth,
    complexity: { field: GROWTH_COST },
    description: 'How the memories that match the filter came to be, over time.',
    args: {
      filter: t.arg({ type: memoryFilter }),
      timeZone: t.arg.string({
        defaultValue: 'UTC',
        description: 'Whose days are counted: an IANA name, such as Europe/Berlin.',
      }),
      values: t.arg.int({
        defaultValue: VALUES,
        description: `The most kinds, and contexts, with a series of their own, 1 to ${VALUES_MAX}.`,
      }),
    },
    resolve: async (_, { filter, timeZone, values }, context) => {
      const most = values ?? VALUES
      if (!Number.isInteger(most) || most < 1 || most > VALUES_MAX)
        throw new ValidationError('values', `must be a whole number from 1 to ${VALUES_MAX}`)
      return readGrowth(context.project, (await context.readModel()).tables, {
        filter: checkFilter(filter),
        timeZone: checkTimeZone(timeZone ?? 'UTC'),
        most,
      })
    },
  }),
)

/** A name as the database takes it. @throws ValidationError */
function checkTimeZone(name: string): string {
  try {
    // Offsets, such as +01:00, mean the opposite to Postgres.
    if (/^[a-z]/iu.test(name))
      return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    // Not a name: said below.
  }
  throw new ValidationError('timeZone', 'must be the IANA name of a time zone, such as Europe/Berlin or UTC')
}
