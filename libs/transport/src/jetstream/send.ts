import { UnavailableError } from '@daybook/memory/errors'
import { headers, type MsgHdrs } from '@nats-io/transport-node'
import type { PublishedEntry } from '../bus.ts'
import { CLOUD_EVENT_TYPE, encodePlace, subjectOf } from './cloud-event.ts'
import { createInFlight } from './in-flight.ts'
import type { Session } from './link.ts'

/**
 * How many messages may wait for their acknowledgement. Beyond 100 the rate no longer grows
 * (docs/measurements.md#publishing-to-jetstream). The limit in bytes keeps large events from filling the
 * memory of both sides.
 */
const IN_FLIGHT_MESSAGES = 256
const IN_FLIGHT_BYTES = 8 * 1024 * 1024

/**
 * The server counts headers into max_payload: an id of 36 characters, a content type, and room for a proxy's
 * headers.
 */
const HEADER_BYTES = 512

function headersOf(): MsgHdrs {
  const made = headers()
  made.set('content-type', CLOUD_EVENT_TYPE)
  return made
}

/** The options of `sendPlaces`. */
export interface SendOptions {
  readonly subjectPrefix: string
  readonly ackTimeoutMs: number
  /** As in `PublishOptions`. */
  readonly again: string | undefined
}

/**
 * Sends events and envelopes in order, many at a time, and waits for every acknowledgement. Stops at the
 * first failure: the caller sends what follows again with it.
 * @throws UnavailableError if the connection breaks, or an acknowledgement does not come within
 * `ackTimeoutMs`
 */
export async function sendPlaces(
  { connection, jetstream, lost }: Session,
  places: readonly PublishedEntry[],
  { subjectPrefix, ackTimeoutMs, again }: SendOptions,
): Promise<void> {
  const inFlight = createInFlight(IN_FLIGHT_MESSAGES, IN_FLIGHT_BYTES)
  const onLost = () => inFlight.fail(new Error('the connection to NATS broke'))
  lost.addEventListener('abort', onLost)
  try {
    if (lost.aborted) onLost()
    const maxBytes = (connection.info?.max_payload ?? 1024 * 1024) - HEADER_BYTES
    for (const place of places) {
      const message = encodePlace(place, maxBytes)
      await inFlight.room(message.byteLength)
      const options = {
        msgID: again === undefined ? place.eventId : `${place.eventId} ${again}`,
        headers: headersOf(),
        timeout: ackTimeoutMs,
      }
      inFlight.add(message.byteLength, jetstream.publish(subjectOf(subjectPrefix, place), message, options))
    }
    await inFlight.empty()
  } catch (error) {
    throw new UnavailableError(
      'NATS JetStream did not acknowledge events: they stay in the journal and are sent again',
      { cause: error },
    )
  } finally {
    lost.removeEventListener('abort', onLost)
  }
}
