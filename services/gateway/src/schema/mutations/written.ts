import type { Appended } from '@daybook/journal/append/append-request'
import { ConflictError, LimitExceededError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { builder } from '../builder.ts'
import { memoryInterface } from '../types/memory.ts'

/** The result type of a successful write: `Remembered`, `Revised`, … */
export function written(name: string, description: string) {
  return builder.objectType(builder.objectRef<Appended>(name), {
    description,
    fields: (t) => ({
      memory: t.field({ type: memoryInterface, resolve: ({ memory }) => memory }),
      sequence: t.int({
        resolve: ({ memory }) => memory.sequence,
        description: "The receipt: the sequence of the memory's newest event, which is committed.",
      }),
      hash: t.string({
        resolve: ({ memory }) => memory.hash,
        description: 'The hash of that event. With it the receipt names exactly this event.',
      }),
      duplicate: t.exposeBoolean('duplicate', {
        description: 'True if the idempotency key was used for this same request before.',
      }),
    }),
  })
}

/**
 * The result of changing an existing memory: the union `resultName` of the success and the possible refusals.
 */
export function changeResult(resultName: string, name: string, description: string) {
  return builder.errorUnion(resultName, {
    types: [written(name, description), ValidationError, ConflictError, NotFoundError, LimitExceededError],
    resolveType: () => name,
  })
}
