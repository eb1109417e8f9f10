import type { JournalCursor } from '@daybook/memory/events'
import { sql } from 'kysely'

/*
 * The end of a project's journal as this process last saw it, after its own commit. Another process may have
 * appended since: `commit-batch.ts` finds out.
 */

/** A journal's end, and what the database's clock showed then. */
export interface KnownHead extends JournalCursor {
  /** The epoch of new events. */
  readonly epoch: number
  /** When its last event was recorded, RFC 3339. */
  readonly recordedAt: string
  /** What the database's clock showed when it was asked, in milliseconds since 1970. */
  readonly clockMs: number
  /**
   * When it was asked, in the time of `performance.now`: before the question was sent. Taken when the answer is
   * here, a time estimated from it would be behind the clock by the commit's wait for the disk, and a memory would
   * seem to have been there before anybody sent it.
   */
  readonly askedAt: number
}

/** The clock as the statement arrived: before it waits for a lock or for the disk. */
export const CLOCK_WHEN_ASKED = sql<number>`(extract(epoch from statement_timestamp()) * 1000)::float8`

/** The ends that a writer knows. */
export interface KnownHeads {
  /** Undefined if the project's end is not known, or is moved by others now. */
  of(projectId: string): KnownHead | undefined
  /** @param head null if it is not known any more */
  note(projectId: string, head: KnownHead | null): void
  /** The end was another: another process appends to the project too. */
  noteMoved(projectId: string): void
}

/**
 * Milliseconds for which an end counts as known. In a quiet time a connection may break unnoticed. The locked
 * way then fails before anything is written, and says so; one statement would leave it open.
 */
const KNOWN_MS = 1_000
/** For so many projects; the others go the locked way. */
const MOST_HEADS = 1_000
/** Milliseconds for which nothing is tried in a project to which another process appends. */
const MOVED_MS = 1_000

/** Knows nothing yet. */
export function createKnownHeads(): KnownHeads {
  const heads = new Map<string, KnownHead>()
  const movedUntil = new Map<string, number>()
  return {
    of(projectId) {
      const now = performance.now()
      if ((movedUntil.get(projectId) ?? 0) > now) return undefined
      movedUntil.delete(projectId)
      const head = heads.get(projectId)
      return head !== undefined && head.askedAt > now - KNOWN_MS ? head : undefined
    },
    note(projectId, head) {
      heads.delete(projectId)
      if (head !== null) heads.set(projectId, head)
      forgetOldest(heads)
    },
    noteMoved(projectId) {
      heads.delete(projectId)
      movedUntil.delete(projectId)
      movedUntil.set(projectId, performance.now() + MOVED_MS)
      forgetOldest(movedUntil)
    },
  }
}

function forgetOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (map.size > MOST_HEADS && oldest !== undefined) map.delete(oldest)
}
