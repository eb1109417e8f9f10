import { DaybookError } from '@daybook/memory/errors'

/** An exported journal that cannot be imported: damaged, changed, cut off, or not an export at all. */
export class InvalidExportError extends DaybookError {
  /** The line's number, from 1. */
  readonly line: number

  constructor(line: number, problem: string, options?: ErrorOptions) {
    super('INVALID_EXPORT', `line ${line}: ${problem}`, options)
    this.line = line
  }
}

/** The journal here and the exported one differ in an event that both have. */
export class ImportConflictError extends DaybookError {
  /** The first event that differs. */
  readonly sequence: number

  constructor(sequence: number, problem: string, options?: ErrorOptions) {
    super('IMPORT_CONFLICT', problem, options)
    this.sequence = sequence
  }
}
