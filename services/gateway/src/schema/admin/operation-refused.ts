import { DaybookError } from '@daybook/memory/errors'

/** Something else is in the way: `BUSY` while another operation is at work, `REFUSED` where it cannot be done as things are. */
export class OperationRefusedError extends DaybookError {}
