import { type Comparison, FILTERS, type FilterDefinition, type FilterName } from '@daybook/memory/filter'
import { builder } from '../builder.ts'
import { memoryKind } from './memory.ts'
import { trustLevel } from './writer.ts'

/** The types of what filters are given, by comparison. */
const TYPES: { readonly [How in Comparison]: 'String' | ['String'] | 'Int' | 'DateTime' } = {
  isOneOf: ['String'],
  equals: 'String',
  sharesOne: ['String'],
  hasAll: ['String'],
  atLeast: 'Int',
  notBefore: 'DateTime',
  before: 'DateTime',
}

const MIN_TRUST =
  'Only memories that are trusted so far, as the keys of their authors are trusted now. LOW leaves out nothing.'

/** The input that selects memories, made from `FILTERS`. A new filter needs no change here. */
export const memoryFilter = builder.inputType('MemoryFilter', {
  description: 'Selects memories; all conditions must hold. "After" includes the moment, "before" does not.',
  fields: (t) => {
    const filters = Object.entries<FilterDefinition>(FILTERS) as [FilterName, FilterDefinition][]
    const fields = filters.map(([name, { field, comparison, description }]) => {
      const type: [typeof memoryKind] | (typeof TYPES)[Comparison] =
        field === 'kind' ? [memoryKind] : TYPES[comparison]
      return [name, t.field({ type, ...(description !== undefined && { description }) })] as const
    })
    return {
      ...Object.fromEntries(fields),
      includeForgotten: t.boolean(),
      minTrust: t.field({ type: trustLevel, description: MIN_TRUST }),
    }
  },
})
