import {
  ConflictError,
  type DaybookError,
  LimitExceededError,
  NotFoundError,
  ValidationError,
} from '@daybook/memory/errors'
import { OperationRefusedError } from '../admin/operation-refused.ts'
import { builder } from '../builder.ts'

const errorInterface = builder.interfaceRef<DaybookError>('DaybookError')

builder.interfaceType(errorInterface, {
  description: 'An expected failure, with a code for programs and a message for people.',
  fields: (t) => ({ code: t.exposeString('code'), message: t.exposeString('message') }),
})

builder.objectType(ValidationError, {
  name: 'ValidationError',
  description: 'Input that cannot be accepted; nothing was written.',
  interfaces: [errorInterface],
  fields: (t) => ({ field: t.exposeString('field') }),
})

builder.objectType(ConflictError, {
  name: 'ConflictError',
  description:
    'The memory, the idempotency key or the name is not in the state that the caller assumed; nothing was written.',
  interfaces: [errorInterface],
  fields: (t) => ({
    currentVersion: t.exposeInt('currentVersion', { nullable: true }),
    memoryId: t.exposeID('memoryId', {
      nullable: true,
      description: 'The memory that the idempotency key or the key of the memory led to before; else null.',
    }),
  }),
})

builder.objectType(NotFoundError, {
  name: 'NotFoundError',
  description: 'There is no such memory in the project of the key.',
  interfaces: [errorInterface],
})

builder.objectType(LimitExceededError, {
  name: 'LimitExceededError',
  description: 'The project would exceed one of its limits; nothing was written.',
  interfaces: [errorInterface],
  fields: (t) => ({
    limit: t.exposeString('limit', { description: 'As in `ProjectLimits`: memories, bytes, queuedTexts.' }),
    most: t.exposeFloat('most'),
  }),
})

builder.objectType(OperationRefusedError, {
  name: 'OperationRefusedError',
  description:
    'It cannot be done as things are: another operation is at work (BUSY), or the state forbids it (REFUSED).',
  interfaces: [errorInterface],
})

export { ConflictError, NotFoundError, ValidationError }
