import { DaybookError } from '@daybook/memory/errors'

/**
 * The request cannot be carried out now: `BUSY` while another operation is at work, `REFUSED` if the state
 * forbids it.
 */
export class OperationRefusedError extends DaybookError {}
