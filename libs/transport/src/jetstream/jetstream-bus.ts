import { UnavailableError } from '@daybook/memory/errors'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { reasonOf } from '@daybook/runtime/reason-of'
import type { Bus, BusConsumer } from '../bus.ts'
import { joinGroup } from './group-member.ts'
import { openLink, type Session } from './link.ts'
import { createListeners } from './listeners.ts'
import { purgeErased, purgeProject } from './purge-erased.ts'
import { sendPlaces } from './send.ts'
import { parseServerAddress } from './server-address.ts'
import { AWAY, describeSession } from './status.ts'
import { createStreamKeeper } from './stream.ts'
import { type StreamSettings, streamSettings } from './stream-settings.ts'

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
