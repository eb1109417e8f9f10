import type { Operation, OperationStatus } from '@daybook/operations/operation'
import { OPERATION_TYPES } from '@daybook/operations/operation-types'
import { builder } from '../builder.ts'
import { enumOfWords } from '../types/enum-of-words.ts'
import { projectionName } from '../types/projection-name.ts'

const operationType = enumOfWords(
  'OperationType',
  OPERATION_TYPES,
  'What an operation does, called as the mutation that asks for it.',
)

const operationStatus = enumOfWords<OperationStatus>('OperationStatus', {
  queued: 'Nobody has taken it yet.',
  running: 'A process works on it, or has died and another one will take it.',
  succeeded: null,
  failed: '`error` says why.',
  cancelled: 'What it had begun is cleaned up.',
})

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
      description: 'What it works on; null where that is the journal.',
    }),
    options: t.field({ type: 'JSON', resolve: ({ options }) => options }),
    status: t.field({ type: operationStatus, resolve: ({ status }) => status }),
    phase: t.exposeString('phase', { description: 'What it is doing, in a word or two.' }),
    done: t.exposeInt('done'),
    total: t.exposeInt('total', { nullable: true, description: 'Null while that is not known.' }),
    result: t.field({ type: 'JSON', nullable: true, resolve: ({ result }) => result }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why it failed; while it is running, what it waits for.',
    }),
    cancelRequested: t.exposeBoolean('cancelRequested'),
    requestedBy: t.exposeString('requestedBy', { nullable: true }),
    createdAt: t.field({ type: 'DateTime', resolve: (one) => one.createdAt }),
    startedAt: t.field({ type: 'DateTime', nullable: true, resolve: (one) => one.startedAt }),
    updatedAt: t.field({ type: 'DateTime', resolve: (one) => one.updatedAt }),
    finishedAt: t.field({ type: 'DateTime', nullable: true, resolve: (one) => one.finishedAt }),
  }),
})
