import { ValidationError } from '@daybook/memory/errors'
import { builder } from '../builder.ts'
import { appendChange } from './request.ts'
import { changeResult } from './written.ts'

const restoreResult = changeResult('RestoreResult', 'Restored', 'The memory as it is again.')

builder.mutationField('restore', (t) =>
  t.field({
    type: restoreResult,
    description: 'Undo: back to an earlier version, or back from forgotten. It is a new version of its own.',
    args: {
      id: t.arg.id({ required: true }),
      version: t.arg.int({ description: 'Whose content comes back; needed unless the memory is forgotten.' }),
      expectedVersion: t.arg.int(),
      idempotencyKey: t.arg.string(),
    },
    resolve: (_, { version, ...given }, context) => {
      if (version != null && version < 1) throw new ValidationError('version', 'must be 1 or more')
      return appendChange(context, given, { type: 'restore', ...(version == null ? {} : { version }) })
    },
  }),
)
