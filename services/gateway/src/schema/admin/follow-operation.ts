import { NotFoundError } from '@daybook/memory/errors'
import { isUuid } from '@daybook/memory/id'
import { hasEnded, type Operation } from '@daybook/operations/operation'
import { readOperation } from '@daybook/operations/read'
import { pause } from '@daybook/runtime/backoff'
import { patiently } from '../../subscriptions/patiently.ts'
import { builder } from '../builder.ts'
import { type OperationAccess, operationAccess } from '../operation-access.ts'
import { operation } from './operation.ts'

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
    const current = isUuid(id) ? await patiently(() => readOperation(db, id, projectId), ended) : null
    if (current === null) throw new NotFoundError(`The operation ${id.slice(0, 64)}`, 'Daybook')
    const state = JSON.stringify(current)
    if (state !== seen) yield current
    if (hasEnded(current)) return
    seen = state
    await pause(POLL_MS, ended)
  }
}
