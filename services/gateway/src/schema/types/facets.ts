import { ValidationError } from '@daybook/memory/errors'
import { FACET_NAMES, type FacetCount, type FacetName, type Facets } from '@daybook/memory/facets'
import { checkFilter } from '@daybook/memory/filter'
import { grouped } from '@daybook/memory/text-rules'
import { readFacets } from '@daybook/pgvector/read/read-facets'
import { AS_OF, pastMoment, requireAtLeast } from '../../find-memories.ts'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { memoryFilter } from './memory-filter.ts'

/** The most values that are listed per facet, and how many unless a caller says. */
export const [FACET_VALUES_MAX, FACET_VALUES] = [1_000, 50]

/** @throws ValidationError */
export function checkFacetValues(values: number | null | undefined): number {
  const most = values ?? FACET_VALUES
  if (!Number.isInteger(most) || most < 1 || most > FACET_VALUES_MAX)
    throw new ValidationError('values', `must be a whole number from 1 to ${grouped(FACET_VALUES_MAX)}`)
  return most
}

const facetCount = builder.objectRef<FacetCount>('FacetCount').implement({
  description: 'How many memories have a value.',
  fields: (t) => ({ value: t.exposeString('value'), count: t.exposeInt('count') }),
})

interface Others {
  readonly facet: FacetName
  readonly values: number
  readonly count: number
}

const facetOthers = builder.objectRef<Others>('FacetOthers').implement({
  description: 'The values of a facet that are not listed.',
  fields: (t) => ({
    facet: t.exposeString('facet', { description: 'The name of the field: labels.' }),
    values: t.exposeInt('values', { description: 'How many values.' }),
    count: t.exposeInt('count', { description: 'The sum of their counts.' }),
  }),
})

const DESCRIPTIONS: Readonly<Record<FacetName, string>> = {
  labels: 'A memory counts once for each of its labels.',
  kinds: 'As filters take them: NOTE.',
  categories: 'A memory counts once for each of its categories.',
  entityTypes: 'The types of entities.',
  agents: 'Memories without an agent do not count.',
  contexts: 'Memories without a context do not count.',
}

/** The type `Facets`. */
export const facets = builder.objectRef<Facets>('Facets').implement({
  description: 'Counts of memories by their values, the most frequent value first.',
  fields: (t) => ({
    memories: t.exposeInt('memories', { description: 'How many memories were counted.' }),
    ...Object.fromEntries(
      FACET_NAMES.map((name) => [
        name,
        t.field({
          type: [facetCount],
          description: DESCRIPTIONS[name],
          resolve: (counted) => [...counted.facets[name].values],
        }),
      ]),
    ),
    others: t.field({
      type: [facetOthers],
      description: 'For each facet with more values than are listed.',
      resolve: (counted) =>
        FACET_NAMES.map((facet) => ({ facet, ...counted.facets[facet].others })).filter(
          ({ values }) => values > 0,
        ),
    }),
  }),
})

/** Beside its answer: it reads all memories that match. 100,000 take about as long as a search. */
const FACETS_COST = 1_500

builder.queryField('facets', (t) =>
  t.field({
    type: facets,
    complexity: ({ values }) => listCost(values ?? FACET_VALUES, FACETS_COST),
    description: 'How many memories that match the filter have which label, kind, category, and so on.',
    args: {
      filter: t.arg({ type: memoryFilter }),
      values: t.arg.int({
        defaultValue: FACET_VALUES,
        description: `The most values listed per facet, 1 to ${FACET_VALUES_MAX}. \`others\` counts the rest.`,
      }),
      asOf: t.arg({ type: 'DateTime', description: AS_OF }),
    },
    resolve: async (_, args, context) => {
      const [filter, most] = [checkFilter(args.filter), checkFacetValues(args.values)]
      const past = await pastMoment(context, args.asOf)
      await requireAtLeast(context, past?.sequence, null)
      return readFacets(context.project, (await context.readModel()).tables, { filter, most, past })
    },
  }),
)
