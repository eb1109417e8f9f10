import { DaybookError } from '@daybook/memory/errors'
import type { Operation } from '@daybook/operations/operation'
import { type OperationRequest, requestOperation } from '@daybook/operations/request'
import type { Database } from '@daybook/postgres/connect'
import type { Context } from '../../context.ts'
import { OperationRefusedError } from './operation-refused.ts'

type Asked<Each> = Each extends OperationRequest ? Omit<Each, 'requestedBy'> : never

/** An operation that a request asks for. */
export type AskedOperation = Asked<OperationRequest>

/**
 * Queues an operation for the request's key.
 * @throws OperationRefusedError BUSY
 */
export async function requestFor(
  db: Database,
  { metadata }: Pick<Context, 'metadata'>,
  asked: AskedOperation,
): Promise<Operation> {
  try {
    return await requestOperation(db, { ...asked, requestedBy: metadata.actor })
  } catch (error) {
    if (error instanceof DaybookError && error.code === 'BUSY')
      throw new OperationRefusedError('BUSY', error.message)
    throw error
  }
}
