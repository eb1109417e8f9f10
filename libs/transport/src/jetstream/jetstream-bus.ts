import { UnavailableError } from '@daybook/memory/errors'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { reasonOf } from '@daybook/runtime/reason-of'
import { withTimeout } from '@daybook/runtime/timers'
import { headers, type MsgHdrs } from '@nats-io/transport-node'
import type { Bus, BusConsumer, BusStatus, PublishedEntry } from '../bus.ts'
import { CLOUD_EVENT_TYPE, encodePlace, subjectOf } from './cloud-event.ts'
import { createInFlight, joinGroup } from './group-member.ts'
import { openLink, type Session } from './link.ts'
import { createListeners } from './listeners.ts'
import { purgeErased, purgeProject } from './purge-erased.ts'
import { parseServerAddress } from './server-address.ts'
import { createStreamKeeper, type StreamKeeper, type StreamSettings, streamSettings } from './stream.ts'

/** The options of `openJetStreamBus`. */
export interface JetStreamBusOptions {
  /** `nats://host:4222`, with user and password if the server wants them; several separated by commas. */
  readonly url: string
  readonly logger: Logger
  readonly stream?: Partial<StreamSettings>
  /** How long the server may take to acknowledge, in milliseconds. @default 5000 */
  readonly ackTimeoutMs?: number
  /** Milliseconds of silence after which a group's message goes to another member. @default 30000 */
  readonly ackWaitMs?: number
  /**
   * How long to wait for the first connection before continuing without it, in milliseconds.
   * @default 3000
   */
  readonly connectWaitMs?: number
}

/**
 * The bus over NATS JetStream 2.9 or newer. It can be used whether NATS is there or not. While NATS is
 * unavailable, publishing fails, listeners and groups wait, and reconnecting never stops. Streams and
 * consumers that JetStream loses are created again.
 *
 * @throws DaybookError CONFIGURATION if the url is not one
 */
export async function openJetStreamBus(options: JetStreamBusOptions): Promise<Bus> {
  const { url, logger, ackTimeoutMs = 5_000, ackWaitMs = 30_000, connectWaitMs = 3_000 } = options
  const settings = streamSettings(options.stream)
  const address = parseServerAddress(url)
  const link = openLink(address, logger)
  const keeper = createStreamKeeper(settings, logger)
  const listeners = createListeners(link, settings, logger)
  const consumers = new Set<BusConsumer>()

  const waited = new AbortController()
  await Promise.race([link.session(waited.signal), pause(connectWaitMs, waited.signal)])
  waited.abort()

  /** @throws UnavailableError, which says what that means */
  const sessionWithStream = async (meaning: string): Promise<Session> => {
    const session = link.current()
    if (session === null) throw new UnavailableError(`NATS at ${address.shown} cannot be reached: ${meaning}`)
    try {
      await keeper.ensure(session)
      return session
    } catch (error) {
      throw new UnavailableError(
        `The stream ${settings.name} is not available from NATS at ${address.shown}: ${meaning}`,
        { cause: error },
      )
    }
  }

  return {
    async publish(_projectId, places, { again } = {}) {
      if (places.length === 0) return
      const session = await sessionWithStream('events stay in the journal')
      try {
        await sendPlaces(session, places, { subjectPrefix: settings.subjectPrefix, ackTimeoutMs, again })
        await purgeErased(session, places, settings)
      } catch (error) {
        keeper.doubt(session)
        throw error
      }
    },
    async forget(projectId, signal) {
      const session = await sessionWithStream('it keeps what the deleted project published')
      try {
        await purgeProject(session, projectId, settings, signal)
      } catch (error) {
        keeper.doubt(session)
        throw new UnavailableError(
          `NATS at ${address.shown} did not remove a deleted project: ${reasonOf(error)}`,
          {
            cause: error,
          },
        )
      }
    },
    subscribe: (listener) => listeners.add(listener),
    consume(group, handle) {
      const member = joinGroup({ link, settings, keeper, group, handle, logger, ackWaitMs })
      consumers.add(member)
      return {
        async stop() {
          consumers.delete(member)
          await member.stop()
        },
      }
    },
    async status() {
      const session = link.current()
      return session === null
        ? { ...AWAY, problem: `NATS at ${address.shown} cannot be reached` }
        : describeSession(session, { keeper, shown: address.shown })
    },
    async close() {
      listeners.close()
      await Promise.all([...consumers].map((consumer) => consumer.stop()))
      await link.close()
    },
  }
}

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
interface SendOptions {
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
async function sendPlaces(
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

/** The status of a server that is unavailable. */
const AWAY = { transport: 'nats', version: null, roundTripMs: null } as const

/** Milliseconds that each answer may take. */
const ANSWER_MS = 3_000

/** Pings the server and checks the stream, as a publish would. */
async function describeSession(
  session: Session,
  { keeper, shown }: { keeper: StreamKeeper; shown: string },
): Promise<BusStatus> {
  const { connection } = session
  try {
    const roundTripMs = await withTimeout(ANSWER_MS, connection.rtt())
    const answered = { ...AWAY, version: connection.info?.version ?? null, roundTripMs }
    // What was true at the last publish may have changed.
    keeper.doubt(session)
    return await withTimeout(ANSWER_MS, keeper.ensure(session)).then(
      () => ({ ...answered, problem: null }),
      (error: unknown) => ({
        ...answered,
        problem: `NATS at ${shown} answers, but its stream is not available: ${reasonOf(error)}`,
      }),
    )
  } catch (error) {
    return { ...AWAY, problem: `NATS at ${shown} does not answer: ${reasonOf(error)}` }
  }
}
