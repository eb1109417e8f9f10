import { KIND_NAMES, type KindName } from '@daybook/memory/kinds/index'
import { builder } from '../builder.ts'

/** `STASH`, `INSIGHT`, … for the kinds' names. */
export const memoryKind = builder.enumType('MemoryKind', {
  values: Object.fromEntries(KIND_NAMES.map((name) => [name.toUpperCase(), { value: name }])) as Record<
    string,
    { value: KindName }
  >,
})
