import { RefusedError, UnreachableError } from '../cli-error.ts'
import { ConnectionLost } from './subscribe.ts'

/** Whether the daemon is only gone for a while, or cannot serve now: asking again may help. */
export const mayComeBack = (error: unknown): boolean =>
  error instanceof ConnectionLost ||
  error instanceof UnreachableError ||
  (error instanceof RefusedError && error.retryable)
