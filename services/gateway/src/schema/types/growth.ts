import { GROWTH_UNITS, type Growth, type GrowthSeries } from '@daybook/memory/growth'
import { builder } from '../builder.ts'
import { enumOfWords } from './enum-of-words.ts'

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
