import { ValidationError } from '@daybook/memory/errors'
import { checkFilter } from '@daybook/memory/filter'
import { GROWTH_UNITS, type Growth, type GrowthSeries } from '@daybook/memory/growth'
import { readGrowth } from '@daybook/pgvector/read/read-growth'
import { builder } from '../builder.ts'
import { enumOfWords } from './enum-of-words.ts'
import { memoryFilter } from './memory-filter.ts'

const growthUnit = enumOfWords('GrowthUnit', GROWTH_UNITS, 'A length of time. Weeks begin on Monday.')

const growthSeries = builder.objectRef<GrowthSeries>('GrowthSeries').implement({
  description: 'How many memories with one value came when.',
  fields: (t) => ({
    value: t.exposeString('value', {
      nullable: true,
      description: 'Null for all others together, and those without any.',
    }),
    counts: t.intList({ complexity: 1, resolve: ({ counts }) => [...counts] }),
  }),
})

/** The type `Growth`. */
export const growth = builder.objectRef<Growth>('Growth').implement({
  description:
    'How many memories came when, and how much was written: numbers for at most 400 days, weeks, months or years, whichever are enough.',
  fields: (t) => ({
    unit: t.field({ type: growthUnit, resolve: ({ unit }) => unit }),
    starts: t.stringList({
      complexity: 1,
      description: 'The first day of each time: 2026-11-23. No time in between is left out.',
      resolve: ({ starts }) => [...starts],
    }),
    memories: t.exposeInt('memories', { description: 'How many memories match now.' }),
    remembered: t.intList({
      complexity: 1,
      description: 'Those memories by when they were remembered.',
      resolve: ({ remembered }) => [...remembered],
    }),
    events: t.intList({
      complexity: 1,
      description: 'The events of memories that match, forgotten ones included, by when they were recorded.',
      resolve: ({ events }) => [...events],
    }),
    kinds: t.field({
      type: [growthSeries],
      description: '`remembered` by kind, the most frequent first.',
      resolve: ({ kinds }) => [...kinds],
    }),
    contexts: t.field({
      type: [growthSeries],
      description: 'The same by context.',
      resolve: ({ contexts }) => [...contexts],
    }),
  }),
})

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
