import { backoffDelay, pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { createWakeUp } from '@daybook/runtime/wake-up'
import { AckPolicy, type ConsumerMessages, DeliverPolicy, type JsMsg, ReplayPolicy } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import type { BusConsumer, BusHandler } from '../bus.ts'
import { decodeNews } from './cloud-event.ts'
import type { Link, Session } from './link.ts'
import type { StreamKeeper } from './stream.ts'
import type { StreamSettings } from './stream-settings.ts'

/*
 * A member of a durable group. All members pull from one consumer of the stream:
 *
 *   seeking (session, stream, consumer) ──found or made──▶ pulling ──connection or consumer lost──▶ seeking
 *
 * Each message is handed on at once, so that a handler can work through many together, and is acknowledged when its
 * handler resolves; until then the server hears regularly that it is worked on. What is pulled is bounded by what is
 * being handled: messages never wait here while another member is free.
 */

export interface GroupMemberOptions {
  readonly link: Link
  readonly settings: StreamSettings
  readonly keeper: StreamKeeper
  readonly group: string
  readonly handle: BusHandler
  readonly logger: Logger
  /** Milliseconds after which the server gives a message to another member, if it heard nothing of it. */
  readonly ackWaitMs: number
}

/** Messages that one member works on at a time. */
const MEMBER_MESSAGES = 256
/** The same of all members together, which the server enforces: four of them at full load. */
const GROUP_MESSAGES = 4 * MEMBER_MESSAGES
/** A pull waits this long for messages; the server says twice in that time that it is still there. */
const PULL_MS = 10_000
const HEARTBEAT_MS = 2_500
const PATIENCE_MS = 500
/**
 * How long to wait before a lost consumer is made again. At once, on a machine under full load, a consumer made right after
 * its stream was deleted and made again brought nothing 2 of some 20 times (NATS 2.9.10); with the wait that was not seen
 * again, but why is not known. Whoever consumes reads the journal on a timer besides.
 */
const ANEW = { firstMs: 500, maxMs: 5_000 }
/** A message given back goes to another member, or comes again, after this. */
const NAK_MS = 100

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
      // Whoever gives news back has said why where it happened.
      message.nak(NAK_MS)
    } finally {
      handled.delete(message)
      progress.raise()
    }
  }

  const ensureConsumer = async ({ manager }: Session): Promise<void> => {
    // Creates it, or finds it as it should be: the same configuration is no conflict.
    await manager.consumers.add(settings.name, {
      durable_name: group,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      // What was before a group, or before its consumer was lost, is read from the journal.
      deliver_policy: DeliverPolicy.New,
      replay_policy: ReplayPolicy.Instant,
      max_ack_pending: GROUP_MESSAGES,
      // Never given up: a message that went missing would be missed silently.
      max_deliver: -1,
      // A group that is used no more (an old generation's) goes by itself once it could not catch up anyway.
      inactive_threshold: nanos(settings.maxAgeMs),
    })
  }

  /** Waits for a quarter of the room, so that pulls are worth their round trip; after a while takes what there is. */
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
        if (attempt > 0) logger.info({ group }, 'news come over NATS again')
        attempt = 0
        await pull(session)
      } catch (error) {
        keeper.doubt(session)
        if (stop.signal.aborted) return
        if (attempt === 0 && !session.lost.aborted)
          logger.warn({ group, error }, 'no news come over NATS now; the group is joined anew')
        await pause(backoffDelay(attempt, ANEW), stop.signal)
        attempt += 1
      } finally {
        session.lost.removeEventListener('abort', leave)
        pulled?.stop()
      }
    }
  }

  // A third of the time, so that one lost message does not make the server give up on us.
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
      // Never without a delay: NATS 2.9.10 then loses about one of 20 that are given back at once, until ack_wait is over.
      for (const message of handled) message.nak(NAK_MS)
      // So that the server has heard of it before the process ends.
      if (current !== null && !current.lost.aborted) await current.connection.flush().catch(() => {})
    },
  }
}
