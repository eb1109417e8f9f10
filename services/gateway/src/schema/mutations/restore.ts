import { ValidationError } from '@daybook/memory/errors'
import { builder } from '../builder.ts'
import { appendChange } from './request.ts'
import { changeResult } from './written.ts'

const restoreResult = changeResult('RestoreResult', 'Restored', 'The memory as it is again.')

builder.mutationField('restore', (t) =>
  t.field({
    type: restoreResult,
    description: 'Undo: restores an earlier version, or a forgotten memory, as a new version.',
    args: {
      id: t.arg.id({ required: true }),
      version: t.arg.int({ description: 'The version to restore; required unless the memory is forgotten.' }),
      expectedVersion: t.arg.int(),
      idempotencyKey: t.arg.string(),
      expiresAt: t.arg({
        type: 'DateTime',
        description:
          'When it expires from now on. If absent: as at that version, or never if that moment has passed.',
      }),
    },
    resolve: (_, { version, expiresAt, ...given }, context) => {
      if (version != null && version < 1) throw new ValidationError('version', 'must be 1 or more')
      return appendChange(context, given, {
        type: 'restore',
        ...(version == null ? {} : { version }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      })
    },
  }),
)
