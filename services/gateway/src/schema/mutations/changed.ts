import type { Appended } from '@daybook/journal/append/append-request'
import { builder } from '../builder.ts'
import { memoryInterface } from '../types/memory.ts'

/** The result of a change to a memory that was there: `Revised`, `Forgotten`, `Restored`. */
export function changed(name: string, description: string) {
  return builder.objectType(builder.objectRef<Appended>(name), {
    description,
    fields: (t) => ({
      memory: t.field({ type: memoryInterface, resolve: ({ memory }) => memory }),
      sequence: t.int({
        resolve: ({ memory }) => memory.sequence,
        description: "The receipt: the place of the memory's newest event in the journal.",
      }),
      hash: t.string({
        resolve: ({ memory }) => memory.hash,
        description: 'The hash of that event in the chain: with it the receipt names this one and no other.',
      }),
      duplicate: t.exposeBoolean('duplicate', {
        description: 'True where the idempotency key had been used for this same request.',
      }),
    }),
  })
}
