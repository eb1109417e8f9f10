import { ConflictError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { builder } from '../builder.ts'
import { changed } from './changed.ts'
import { append, checkExpectedVersion, checkIdempotencyKey, requireMemoryId } from './request.ts'

const forgotten = changed('Forgotten', 'The memory, which has left the indexes and stays in the journal.')

const forgetResult = builder.errorUnion('ForgetResult', {
  types: [forgotten, ValidationError, ConflictError, NotFoundError],
  resolveType: () => 'Forgotten',
})

builder.mutationField('forget', (t) =>
  t.field({
    type: forgetResult,
    description: 'Takes a memory out of the indexes. It stays in the journal, and restore brings it back.',
    args: {
      id: t.arg.id({ required: true }),
      expectedVersion: t.arg.int(),
      idempotencyKey: t.arg.string(),
    },
    resolve: (_, { id, expectedVersion, idempotencyKey }, context) =>
      append(
        context,
        { type: 'forget', id: requireMemoryId(id), ...checkExpectedVersion(expectedVersion) },
        checkIdempotencyKey(idempotencyKey),
      ),
  }),
)
