import type { Logger } from '@daybook/runtime/logger'
import type { BusListener } from '../bus.ts'
import { decodeNews } from './cloud-event.ts'
import type { Link, Session } from './link.ts'
import { allSubjects, type StreamSettings } from './stream.ts'

/**
 * The listeners of this process. They share one plain subscription on the stream's subjects: it costs the
 * server no state and reads each message once. Messages sent while the connection is broken are missed.
 */
export interface Listeners {
  /** @returns removes the listener */
  add(onMessage: BusListener): () => void
  close(): void
}

/** Subscribes once the first listener is added. */
export function createListeners(link: Link, settings: StreamSettings, logger: Logger): Listeners {
  const listeners = new Set<{ readonly onMessage: BusListener }>()
  const closing = new AbortController()
  let following = false

  const subscribe = ({ connection }: Session) =>
    connection.subscribe(allSubjects(settings), {
      callback(error, message) {
        if (error !== null) {
          logger.warn(
            { error },
            'the bus cannot be listened to: does the NATS user have the right to subscribe?',
          )
          return
        }
        const { news, problem } = decodeNews(message.data)
        if (problem !== null)
          logger.warn(
            { subject: message.subject, error: problem },
            'a message on the bus could not be understood; the journal has the event',
          )
        if (news !== null) for (const { onMessage } of listeners) onMessage(news)
      },
    })

  const next = () => link.session(closing.signal)
  const follow = async () => {
    // Uses an existing session at once, not a turn later: what this process publishes next must be heard.
    for (let session = link.current() ?? (await next()); session !== null; session = await next()) {
      const subscription = subscribe(session)
      await aborted(session.lost, closing.signal)
      subscription.unsubscribe()
    }
  }

  return {
    add(onMessage) {
      const listener = { onMessage }
      listeners.add(listener)
      if (!following) void follow()
      following = true
      return () => {
        listeners.delete(listener)
      }
    },
    close() {
      listeners.clear()
      closing.abort()
    },
  }
}

/** Resolves when either is aborted. */
const aborted = (one: AbortSignal, other: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of [one, other]) signal.addEventListener('abort', () => resolve(), { once: true })
  })
