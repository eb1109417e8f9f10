import { builder } from '../builder.ts'
import { reviseInput, toReviseInput } from '../types/memory-inputs.ts'
import { appendChange } from './request.ts'
import { changeResult } from './written.ts'

/** The result of every change of a memory's own fields. */
export const reviseResult = changeResult(
  'ReviseResult',
  'Revised',
  'The memory as it is now. Nothing is written where nothing changed.',
)

builder.mutationField('revise', (t) =>
  t.field({
    type: reviseResult,
    description: 'Changes only the given fields.',
    args: {
      id: t.arg.id({ required: true }),
      input: t.arg({ type: reviseInput, required: true }),
      expectedVersion: t.arg.int({
        description: 'Refuses the change if the memory is at another version.',
      }),
      idempotencyKey: t.arg.string(),
    },
    resolve: (_, { input, ...given }, context) =>
      appendChange(context, given, { type: 'revise', input: toReviseInput(input) }),
  }),
)
