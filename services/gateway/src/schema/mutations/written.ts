import type { Appended } from '@daybook/journal/append/append-request'
import { ConflictError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { builder } from '../builder.ts'
import { memoryInterface } from '../types/memory.ts'

/** What a write answers with where it is done: `Remembered`, `Revised`, … */
export function written(name: string, description: string) {
  return builder.objectType(builder.objectRef<Appended>(name), {
    description,
    fields: (t) => ({
      memory: t.field({ type: memoryInterface, resolve: ({ memory }) => memory }),
      sequence: t.int({
        resolve: ({ memory }) => memory.sequence,
        description: "The receipt: committed, the place of the memory's newest event in the journal.",
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

/** The result of a change to a memory that was there: the union `resultName` of the change done and why it was refused. */
export function changeResult(resultName: string, name: string, description: string) {
  return builder.errorUnion(resultName, {
    types: [written(name, description), ValidationError, ConflictError, NotFoundError],
    resolveType: () => name,
  })
}
