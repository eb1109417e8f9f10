import { builder } from '../builder.ts'
import { memoryKind } from './memory-kind.ts'

/** The input that selects memories. */
export const memoryFilter = builder.inputType('MemoryFilter', {
  description: 'Selects memories; all conditions must hold. "After" includes the moment, "before" does not.',
  fields: (t) => ({
    kinds: t.field({ type: [memoryKind] }),
    labelsAny: t.stringList(),
    labelsAll: t.stringList(),
    categories: t.stringList({ description: 'At least one of them.' }),
    minImportance: t.int(),
    context: t.string(),
    agent: t.string(),
    createdAfter: t.field({ type: 'DateTime' }),
    createdBefore: t.field({ type: 'DateTime' }),
    occurredAfter: t.field({ type: 'DateTime' }),
    occurredBefore: t.field({ type: 'DateTime' }),
    includeForgotten: t.boolean(),
  }),
})
