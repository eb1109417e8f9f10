import { NotFoundError } from '@daybook/memory/errors'
import { isUuid } from '@daybook/memory/id'
import { hasEnded, type Operation, type OperationStatus } from '@daybook/operations/operation'
import { OPERATION_TYPES } from '@daybook/operations/operation-types'
import { listOperations, readOperation } from '@daybook/operations/read'
import { pause } from '@daybook/runtime/backoff'
import { retryWhileUnavailable } from '../../subscriptions/open-subscriptions.ts'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { type OperationAccess, operationAccess } from '../resolve-in-project.ts'
import { enumOfWords } from '../types/enum-of-words.ts'
import { checkFirst } from '../types/page.ts'
import { projectionName } from '../types/projection.ts'

builder.queryFields((t) => ({
  operation: t.field({
    type: operation,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_, { id }, context) => {
      const { db, projectId } = operationAccess(context)
      return isUuid(id) ? readOperation(db, id, projectId) : null
    },
  }),
  operations: t.field({
    type: [operation],
    description:
      'The newest first. A key that may not run the whole Daybook sees those of its own project, such as undos.',
    args: { first: t.arg.int({ defaultValue: 20 }), active: t.arg.boolean({ defaultValue: false }) },
    complexity: ({ first }) => listCost(first),
    resolve: (_, { first, active }, context) => {
      const { db, projectId } = operationAccess(context)
      const most = checkFirst(first, { fallback: 20 })
      return listOperations(db, { first: most, active: active ?? false, projectId })
    },
  }),
}))

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

/** Milliseconds between looks: four updates a second are enough for a progress bar. */
const POLL_MS = 250

builder.subscriptionField('operation', (t) =>
  t.field({
    type: operation,
    description: 'The operation whenever its progress changes, until it has ended.',
    args: { id: t.arg.id({ required: true }) },
    subscribe: (_, { id }, context) => {
      const access = operationAccess(context)
      return context.subscribe((ended) => follow(access, id, ended))
    },
    resolve: (one) => one,
  }),
)

async function* follow(
  { db, projectId }: OperationAccess,
  id: string,
  ended: AbortSignal,
): AsyncGenerator<Operation, void> {
  let seen = ''
  while (!ended.aborted) {
    const current = isUuid(id)
      ? await retryWhileUnavailable(() => readOperation(db, id, projectId), ended)
      : null
    if (current === null) throw new NotFoundError(`The operation ${id.slice(0, 64)}`, 'Daybook')
    const state = JSON.stringify(current)
    if (state !== seen) yield current
    if (hasEnded(current)) return
    seen = state
    await pause(POLL_MS, ended)
  }
}
