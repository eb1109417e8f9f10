import { RefusedError, UnreachableError } from '../cli-error.ts'
import { ConnectionLost } from './subscribe.ts'

/** Whether asking again may help: the daemon is gone for a while, or cannot serve now. */
export const mayComeBack = (error: unknown): boolean =>
  error instanceof ConnectionLost ||
  error instanceof UnreachableError ||
  (error instanceof RefusedError && error.retryable)
