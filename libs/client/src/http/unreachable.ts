import { DaybookClientError } from '../client-error.ts'
import { systemErrorOf, whyNoAnswer } from './system-error.ts'

/** With these codes nobody was there to take the request. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/** The error for a request that got no answer. @param error what `fetch` threw */
export function unreachable(url: string, error: unknown): DaybookClientError {
  return new DaybookClientError('UNREACHABLE', `Daybook does not answer at ${url}: ${whyNoAnswer(error)}`, {
    retryable: true,
    // A browser does not say why.
    mayHaveArrived: !NEVER_SENT.has(systemErrorOf(error).code ?? ''),
    cause: error,
  })
}
