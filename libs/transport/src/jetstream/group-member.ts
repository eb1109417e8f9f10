import { backoffDelay, pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { createWakeUp } from '@daybook/runtime/loop'
import { withTimeout } from '@daybook/runtime/timers'
import { AckPolicy, type ConsumerMessages, DeliverPolicy, type JsMsg, ReplayPolicy } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import type { BusConsumer, BusHandler } from '../bus.ts'
import { decodeNews } from './cloud-event.ts'
import type { Link, Session } from './link.ts'
import { NoStreamYet, type StreamKeeper, type StreamSettings } from './stream.ts'

/*
 * A member of a durable group. All members pull from one consumer of the stream:
 *
 *   seeking (session, stream, consumer) ──found or made──▶ pulling ──connection or consumer lost──▶ seeking
 *
 * Each message is passed on at once, so that a handler can work on many together. It is acknowledged when its
 * handler resolves; until then the server is told regularly that work goes on. A pull asks only for as many
 * as can be handled: messages never wait here while another member is free.
 */

/** The options of `joinGroup`. */
interface GroupMemberOptions {
  readonly link: Link
  readonly settings: StreamSettings
  readonly keeper: StreamKeeper
  readonly group: string
  readonly handle: BusHandler
  readonly logger: Logger
  /** Milliseconds of silence after which the server gives a message to another member. */
  readonly ackWaitMs: number
}

/** How many messages one member works on at a time. */
const MEMBER_MESSAGES = 256

/** The limit for all members together, which the server enforces: four of them at full load. */
const GROUP_MESSAGES = 4 * MEMBER_MESSAGES

/** How long a pull waits for messages. The server sends heartbeats meanwhile, so that its loss is noticed. */
const PULL_MS = 10_000

const HEARTBEAT_MS = 2_500

const PATIENCE_MS = 500

/**
 * How long to wait before joining again after a loss. Without a wait, a consumer made right after its stream
 * was deleted and recreated sometimes brought nothing
 * (docs/measurements.md#jetstream-consumers-after-a-lost-stream). The cause is unknown; with the wait it was
 * not seen again. Every handler also reads the journal on a timer.
 */
const ANEW = { firstMs: 500, maxMs: 5_000 }

/** Milliseconds after which a rejected message is delivered again. */
const NAK_MS = 100

/** The longest that the end of a member waits for the server, in milliseconds. One that hangs gives the messages back later. */
const FLUSH_MS = 1_000

/** Joins a group, and joins it again after every loss, until `stop`. */
export function joinGroup(options: GroupMemberOptions): BusConsumer {
  const { link, settings, keeper, group, handle, logger, ackWaitMs } = options
  const stop = new AbortController()
  const handled = new Set<JsMsg>()
  const progress = createWakeUp()
  let pulled: ConsumerMessages | null = null
  let current: Session | null = null

  const settle = async (message: JsMsg): Promise<void> => {
    const { news, problem } = decodeNews(message.data)
    if (problem !== null)
      logger.warn(
        { group, subject: message.subject, error: problem },
        'a message on the bus could not be understood; the journal has the event',
      )
    handled.add(message)
    try {
      if (news !== null) await handle(news)
      message.ack()
    } catch {
      // The handler has already logged why.
      message.nak(NAK_MS)
    } finally {
      handled.delete(message)
      progress.raise()
    }
  }

  const ensureConsumer = async ({ manager }: Session): Promise<void> => {
    // Creates the consumer, or finds it: the same configuration is no conflict.
    await manager.consumers.add(settings.name, {
      durable_name: group,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      // Events from before the group, or before its consumer was lost, are read from the journal.
      deliver_policy: DeliverPolicy.New,
      replay_policy: ReplayPolicy.Instant,
      max_ack_pending: GROUP_MESSAGES,
      // Delivered until acknowledged: a message dropped here would be missed silently.
      max_deliver: -1,
      // The consumer of an unused group (of an old generation) goes away once it could not catch up anyway.
      inactive_threshold: nanos(settings.maxAgeMs),
    })
  }

  /**
   * Waits until a quarter of the room is free, so that a pull is worth its round trip. After a while, takes
   * what there is.
   */
  const roomFor = async (session: Session): Promise<number> => {
    const room = () => MEMBER_MESSAGES - handled.size
    const deadline = Date.now() + PATIENCE_MS
    while (room() < MEMBER_MESSAGES / 4 && Date.now() < deadline) {
      if (stop.signal.aborted || session.lost.aborted) return 0
      await progress.wait(PATIENCE_MS)
    }
    return room()
  }

  /** Pulls until the connection or the consumer is lost. */
  const pull = async (session: Session): Promise<void> => {
    const consumer = await session.jetstream.consumers.get(settings.name, group)
    while (!stop.signal.aborted && !session.lost.aborted) {
      const room = await roomFor(session)
      if (room === 0) continue
      pulled = await consumer.fetch({
        max_messages: room,
        expires: PULL_MS,
        idle_heartbeat: HEARTBEAT_MS,
      })
      if (stop.signal.aborted || session.lost.aborted) break
      for await (const message of pulled) void settle(message)
    }
  }

  const run = async (): Promise<void> => {
    for (let attempt = 0; !stop.signal.aborted; ) {
      const session = await link.session(stop.signal)
      if (session === null) return
      current = session
      const leave = () => {
        pulled?.stop()
        progress.raise()
      }
      session.lost.addEventListener('abort', leave)
      try {
        await keeper.ensure(session)
        await ensureConsumer(session)
        if (attempt > 0) logger.info({ group }, 'messages come over NATS again')
        attempt = 0
        await pull(session)
      } catch (error) {
        keeper.doubt(session)
        if (stop.signal.aborted) return
        if (attempt === 0 && error instanceof NoStreamYet)
          logger.info({ group }, `no messages come over NATS now: ${error.message}`)
        else if (attempt === 0 && !session.lost.aborted)
          logger.warn({ group, error }, 'no messages come over NATS now; joining the group again')
        await pause(backoffDelay(attempt, ANEW), stop.signal)
        attempt += 1
      } finally {
        session.lost.removeEventListener('abort', leave)
        pulled?.stop()
      }
    }
  }

  // Three times per ack wait, so that one lost message does not make the server give up on us.
  const working = setInterval(() => {
    for (const message of handled) message.working()
  }, ackWaitMs / 3)
  const running = run()

  return {
    async stop() {
      stop.abort()
      pulled?.stop()
      progress.raise()
      clearInterval(working)
      await running
      // Never without a delay: NATS 2.9.10 then loses about one of 20 returned messages until ack_wait is
      // over.
      for (const message of handled) message.nak(NAK_MS)
      // So that the server gets it before the process ends.
      if (current !== null && !current.lost.aborted)
        await withTimeout(FLUSH_MS, current.connection.flush()).catch(() => {})
    },
  }
}

/** Limits what is in flight, in number and bytes, and remembers the first failure. */
interface InFlight {
  /**
   * Resolves once there is room for so many bytes. Something larger than the limit goes alone.
   * @throws the failure
   */
  room(bytes: number): Promise<void>
  add(bytes: number, work: Promise<unknown>): void
  /** Resolves once everything has arrived. @throws the failure, at once */
  empty(): Promise<void>
  fail(error: unknown): void
}

/** Nothing is in flight at first. */
export function createInFlight(maxCount: number, maxBytes: number): InFlight {
  let count = 0
  let bytes = 0
  let failure: { readonly error: unknown } | null = null
  let wake: (() => void) | null = null

  const until = async (reached: () => boolean) => {
    // oxlint-disable-next-line no-unmodified-loop-condition -- `fail` sets it meanwhile
    while (failure === null && !reached())
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    if (failure !== null) throw failure.error
  }
  const fail = (error: unknown) => {
    failure ??= { error }
    wake?.()
  }

  return {
    fail,
    room: (more) => until(() => count === 0 || (count < maxCount && bytes + more <= maxBytes)),
    empty: () => until(() => count === 0),
    add(size, work) {
      count += 1
      bytes += size
      const arrived = () => {
        count -= 1
        bytes -= size
        wake?.()
      }
      work.then(arrived, fail)
    },
  }
}
