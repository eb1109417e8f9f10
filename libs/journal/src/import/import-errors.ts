import { DaybookError } from '@daybook/memory/errors'

/** An exported journal that cannot be imported as it stands: damaged, changed, cut off, or something else. */
export class InvalidExportError extends DaybookError {
  /** From 1. */
  readonly line: number

  constructor(line: number, problem: string, options?: ErrorOptions) {
    super('INVALID_EXPORT', `line ${line}: ${problem}`, options)
    this.line = line
  }
}

/** The journal here is not a beginning or a continuation of the exported one. */
export class ImportConflictError extends DaybookError {
  /** The first event that is not the same. */
  readonly sequence: number

  constructor(sequence: number, problem: string, options?: ErrorOptions) {
    super('IMPORT_CONFLICT', problem, options)
    this.sequence = sequence
  }
}
