import { UnavailableError } from '@daybook/memory/errors'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import type { Bus, BusConsumer } from '../bus.ts'
import { joinGroup } from './group-member.ts'
import { openLink } from './link.ts'
import { createListeners } from './listeners.ts'
import { sendPlaces } from './send.ts'
import { parseServerAddress } from './server-address.ts'
import { AWAY, describeSession } from './status.ts'
import { createStreamKeeper } from './stream.ts'
import { type StreamSettings, streamSettings } from './stream-settings.ts'

export interface JetStreamBusOptions {
  /** `nats://host:4222`, with user and password where the server wants them; several separated by commas. */
  readonly url: string
  readonly logger: Logger
  readonly stream?: Partial<StreamSettings>
  /** How long an acknowledgement of the server may take, in milliseconds. @default 5000 */
  readonly ackTimeoutMs?: number
  /** After how many silent milliseconds a group's message goes to another member. @default 30000 */
  readonly ackWaitMs?: number
  /** How long to wait for the first connection before going on without, in milliseconds. @default 3000 */
  readonly connectWaitMs?: number
}

/**
 * The bus over NATS JetStream 2.9 or newer. It is usable whether NATS is there or not: while NATS is unavailable, a publish is
 * refused, listeners and groups wait, and the connection is tried for ever. What JetStream loses is made again.
 *
 * @throws DaybookError CONFIGURATION where the url is none
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

  return {
    async publish(_projectId, places, { again } = {}) {
      if (places.length === 0) return
      const session = link.current()
      if (session === null)
        throw new UnavailableError(`NATS at ${address.shown} cannot be reached: events stay in the journal`)
      try {
        await keeper.ensure(session)
      } catch (error) {
        throw new UnavailableError(
          `The stream ${settings.name} cannot be had from NATS at ${address.shown}: events stay in the journal`,
          { cause: error },
        )
      }
      try {
        await sendPlaces(session, places, { subjectPrefix: settings.subjectPrefix, ackTimeoutMs, again })
      } catch (error) {
        keeper.doubt(session)
        throw error
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
