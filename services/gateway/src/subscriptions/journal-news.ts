import { readHeads } from '@daybook/journal/read/read'
import { CHAIN_START } from '@daybook/memory/event-hash'
import type { JournalCursor } from '@daybook/memory/events'
import type { Database } from '@daybook/postgres/connect'
import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import type { Logger } from '@daybook/runtime/logger'
import { startLoop, UNTIL_WOKEN } from '@daybook/runtime/loop'
import type { Bus } from '@daybook/transport/bus'

/** How often to look at the journals even if the bus brings no news, in milliseconds. */
const POLL_MS = 1_000

/** One subscriber's access to the news of a project. */
export interface Follower {
  /**
   * A mark of the news so far. Take it before you read the journal; then nothing is missed between reading
   * and waiting.
   */
  mark(): number
  /** Resolves once there is news since the mark, or the signal is aborted. */
  since(mark: number, ended: AbortSignal): Promise<void>
  stop(): void
}

/** Tells all followers of journals in this process that there is something new. */
export interface JournalNews {
  follow(projectId: string): Follower
  /** Reads with the same key that overlap share one result. */
  shared<T>(key: string, read: () => Promise<T>): Promise<T>
  stop(): Promise<void>
}

interface Followed {
  head: JournalCursor | null
  mark: number
  followers: number
  readonly waiting: Set<() => void>
}

/**
 * Wakes all subscribers of a project together. It has one subscription to the bus, and one statement a second
 * that reads the heads of all followed journals. (A poll per subscriber took a whole core with 1,000
 * subscribers.)
 */
export function createJournalNews({
  db,
  bus,
  logger,
}: {
  readonly db: Database
  readonly bus: Bus
  readonly logger: Logger
}): JournalNews {
  const projects = new Map<string, Followed>()
  const reads = new Map<string, Promise<unknown>>()

  const raise = (followed: Followed, head: JournalCursor) => {
    followed.head = head
    followed.mark += 1
    for (const wake of followed.waiting) wake()
  }
  const unsubscribe = bus.subscribe(({ projectId, sequence, hash }) => {
    const followed = projects.get(projectId)
    // If the message has no hash, the next look reads it.
    const head = { sequence, hash: hash ?? '' }
    if (followed !== undefined && head.hash !== followed.head?.hash) raise(followed, head)
  })

  const look = async (): Promise<number | void> => {
    if (projects.size === 0) return UNTIL_WOKEN
    const heads = await readHeads(db, [...projects.keys()])
    for (const [projectId, followed] of projects) {
      const head = heads.get(projectId) ?? { sequence: 0, hash: CHAIN_START }
      // Any other head is news, even a lower one or another event at the same sequence: a failover may lose
      // the journal's end.
      if (head.hash !== followed.head?.hash) raise(followed, head)
    }
  }
  const looking = startLoop(look, {
    everyMs: POLL_MS,
    // Each subscriber meets the same problem at its own next read.
    onError: (error) => {
      if (!isDatabaseUnavailable(error)) logger.error({ error }, 'the journals could not be looked at')
    },
  })

  return {
    follow(projectId) {
      const followed = projects.get(projectId) ?? { head: null, mark: 0, followers: 0, waiting: new Set() }
      projects.set(projectId, followed)
      followed.followers += 1
      looking.wake(POLL_MS)
      return {
        mark: () => followed.mark,
        since(mark, ended) {
          if (followed.mark !== mark || ended.aborted) return Promise.resolve()
          return new Promise((resolve) => {
            const wake = () => {
              followed.waiting.delete(wake)
              ended.removeEventListener('abort', wake)
              resolve()
            }
            followed.waiting.add(wake)
            ended.addEventListener('abort', wake, { once: true })
          })
        },
        stop() {
          followed.followers -= 1
          if (followed.followers === 0) projects.delete(projectId)
        },
      }
    },
    shared<T>(key: string, read: () => Promise<T>) {
      const underWay = reads.get(key) as Promise<T> | undefined
      if (underWay !== undefined) return underWay
      const reading = read().finally(() => reads.delete(key))
      reads.set(key, reading)
      return reading
    },
    stop() {
      unsubscribe()
      return looking.stop()
    },
  }
}
