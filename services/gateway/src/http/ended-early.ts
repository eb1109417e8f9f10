import { DaybookError } from '@daybook/memory/errors'

/** Why a long request was ended from here, as a signal's reason: its key has ended. */
export const keyEnded = (): DaybookError =>
  new DaybookError('UNAUTHENTICATED', 'The key of this request was revoked or has expired')

/**
 * What to tell the client of a long request.
 * @param signal if it is aborted, that is why; else the error is
 * @param advice how to go on, as a sentence's end
 */
export function whyEnded(signal: AbortSignal, error: unknown, advice: string): unknown {
  if (!signal.aborted) return error
  const reason: unknown = signal.reason
  return reason instanceof DaybookError
    ? new DaybookError(reason.code, `${reason.message}${advice}`)
    : new DaybookError('UNAVAILABLE', `This Daybook is being stopped${advice}`)
}
