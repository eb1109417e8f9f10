import type { Operation, OperationStatus } from '@daybook/operations/operation'
import { OPERATION_TYPES } from '@daybook/operations/operation-types'
import { builder } from '../builder.ts'
import { enumOfWords } from '../types/enum-of-words.ts'
import { projectionName } from '../types/projection-name.ts'

const operationType = enumOfWords(
  'OperationType',
  OPERATION_TYPES,
  'What an operation does, named like the mutation that asks for it.',
)

const operationStatus = enumOfWords<OperationStatus>('OperationStatus', {
  queued: 'Nobody has taken it yet.',
  running: 'A process works on it. If that process died, another will take over.',
  succeeded: null,
  failed: '`error` says why.',
  cancelled: 'Its unfinished work has been cleaned up.',
})

/** The type `Operation`. */
export const operation = builder.objectRef<Operation>('Operation')

builder.objectType(operation, {
  description:
    'Long work that an operator asked for. It goes on whether somebody watches or not, and after a crash.',
  fields: (t) => ({
    id: t.exposeID('id'),
    type: t.field({ type: operationType, resolve: ({ type }) => type }),
    projection: t.field({
      type: projectionName,
      nullable: true,
      resolve: ({ projection }) => projection,
      description: 'The projection it works on; null for the journal.',
    }),
    options: t.field({ type: 'JSON', resolve: ({ options }) => options }),
    status: t.field({ type: operationStatus, resolve: ({ status }) => status }),
    phase: t.exposeString('phase', { description: 'What it is doing now, in a word or two.' }),
    done: t.exposeInt('done'),
    total: t.exposeInt('total', { nullable: true, description: 'Null while that is not known.' }),
    result: t.field({ type: 'JSON', nullable: true, resolve: ({ result }) => result }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why it failed, or what it waits for while it is running.',
    }),
    cancelRequested: t.exposeBoolean('cancelRequested'),
    requestedBy: t.exposeString('requestedBy', { nullable: true }),
    createdAt: t.field({ type: 'DateTime', resolve: (one) => one.createdAt }),
    startedAt: t.field({ type: 'DateTime', nullable: true, resolve: (one) => one.startedAt }),
    updatedAt: t.field({ type: 'DateTime', resolve: (one) => one.updatedAt }),
    finishedAt: t.field({ type: 'DateTime', nullable: true, resolve: (one) => one.finishedAt }),
  }),
})
