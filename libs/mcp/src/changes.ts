import * as subscriptions from '@daybook/api/subscriptions'
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import { memoryUri } from './resources/index.ts'

/** What to subscribe to in Daybook for `resourcesOf`. */
export const CHANGES = subscriptions.events('memoryId')

/** A memory changed. */
export interface Change {
  /** With its kind in front. */
  readonly memoryId: string
}

/** The resources that a change makes out of date. */
export function resourcesOf({ memoryId }: Change): readonly string[] {
  const [kind] = memoryId.split(':')
  return [
    memoryUri(memoryId),
    'daybook://recent',
    ...(kind === 'todo' ? ['daybook://todos/open'] : []),
    ...(kind === 'session' ? ['daybook://session/active'] : []),
  ]
}

/** Follows changes until the signal; it throws if it cannot go on. */
export type Follow = (signal: AbortSignal) => AsyncIterable<Change>

/**
 * The changes of the journal for `subscriptions/listen`. The journal is followed only while somebody listens.
 * @param onEnd told why following ended, if nobody asked for it
 */
export function changeBus(follow: Follow, onEnd: (error: unknown) => void): ServerEventBus {
  return {
    publish: () => {},
    subscribe(listener) {
      const ended = new AbortController()
      void (async () => {
        for await (const change of follow(ended.signal))
          for (const uri of resourcesOf(change))
            listener({ kind: 'resource_updated', uri } satisfies ServerEvent)
      })().then(
        () => ended.signal.aborted || onEnd(null),
        (error: unknown) => ended.signal.aborted || onEnd(error),
      )
      return () => ended.abort()
    },
  }
}
