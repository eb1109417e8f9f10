import { systemErrorOf, whyNoAnswer } from '@daybook/client/http/system-error'
import { servedAt } from '@daybook/local-daemon/daemon-state'
import { UnreachableError } from '../cli-error.ts'
import type { Connection } from '../settings.ts'

/** The connection was open and broke before the answer. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

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
      ? `Daybook does not answer at ${place.url}: ${whyNoAnswer(error)}.`
      : `What answers at ${place.url} is not Daybook: ${answer}.`,
    other === null ? [start, elsewhere] : [elsewhere],
    BROKEN.has(systemErrorOf(error).code ?? ''),
  )
}
