import { servedAt } from '@daybook/local-daemon/data-folder'
import { UnreachableError } from '../cli-error.ts'
import type { Connection } from '../settings.ts'

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its host name cannot be looked up',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
  ETIMEDOUT: 'it did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
}

/** The connection was open and broke before the answer. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** The system's error: it may be the `cause`, or the first error of an AggregateError. */
function causeOf(error: unknown): Partial<NodeJS.ErrnoException> {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return ((cause instanceof AggregateError ? cause.errors[0] : cause) ?? {}) as Partial<NodeJS.ErrnoException>
}

/** Why a request failed, in words. */
function reasonOf(error: unknown): string {
  const { name, code, message } = causeOf(error)
  if (name === 'TimeoutError') return 'it did not answer in time'
  return REASONS[code ?? ''] ?? message ?? String(error)
}

/** The address of the data folder's own daemon, if it differs from the one tried. */
function otherUrl({ url, dataDir }: Pick<Connection, 'url' | 'dataDir'>): string | null {
  const served = servedAt(dataDir)
  return served === url ? null : served
}

/** The error for a daemon that does not answer. The most likely remedy comes first. */
export function unreachable(
  place: Pick<Connection, 'url' | 'dataDir'>,
  error: unknown,
  answer?: string,
): UnreachableError {
  const other = otherUrl(place)
  const elsewhere =
    other === null
      ? 'It runs elsewhere?      --url http://host:port, or set DAYBOOK_URL'
      : `The daemon of ${place.dataDir} runs at another address:  --url ${other}, or set DAYBOOK_URL`
  const start =
    'It is not running?      daybook start --detach   (or npm start in the repository; ready after some seconds)'
  return new UnreachableError(
    answer === undefined
      ? `Daybook does not answer at ${place.url}: ${reasonOf(error)}.`
      : `What answers at ${place.url} is not Daybook: ${answer}.`,
    other === null ? [start, elsewhere] : [elsewhere],
    BROKEN.has(causeOf(error).code ?? ''),
  )
}
