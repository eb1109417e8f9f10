import { builder } from '../builder.ts'
import { appendChange } from './request.ts'
import { changeResult } from './written.ts'

const forgetResult = changeResult(
  'ForgetResult',
  'Forgotten',
  'The memory. It has left the indexes and stays in the journal.',
)

builder.mutationField('forget', (t) =>
  t.field({
    type: forgetResult,
    description: 'Takes a memory out of the indexes. It stays in the journal, and restore brings it back.',
    args: {
      id: t.arg.id({ required: true }),
      expectedVersion: t.arg.int(),
      idempotencyKey: t.arg.string(),
    },
    resolve: (_, given, context) => appendChange(context, given, { type: 'forget' }),
  }),
)
