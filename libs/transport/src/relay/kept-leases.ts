import type { JournalCursor } from '@daybook/memory/events'
import type { LeaseOwner } from '@daybook/postgres/lease'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { startLoop, UNTIL_WOKEN } from '@daybook/runtime/loop'
import { releaseLease, savePublished, takeLease } from './relay-positions.ts'

/*
 * The leases that a relay keeps between turns, so that an event is published without a statement before it.
 * The position is saved and the lease renewed for all turns of a moment together:
 *
 *   free ──first turn──▶ kept ──every `SAVE_MS` while events are published: save, renew──▶ kept
 *                          └──nothing was published since, or the project is shared: save, release──▶ free
 *
 * A crash repeats what was published since the last save, at most `SAVE_MS` of events. A lease that could not
 * be renewed is not used any more when it may have run out. This is judged by this machine's clock, from
 * before the statement that took it, so never later than by the database's.
 *
 * Another process's events would wait for this relay's next turn. So a project in which two processes commit
 * events is shared: leases are released after each turn, and relays take turns.
 */

/** A project's lease. */
export interface KeptLease {
  readonly scope: ProjectScope
  /** What the bus has acknowledged. A turn moves it. */
  published: JournalCursor
  /** Whether a turn is under way. */
  inUse: boolean
  /** Set when another relay has the project, or the journal lost what was published. */
  lost: boolean
}

/** The leases of one relay. */
export interface KeptLeases {
  /** The kept lease, or a new one. Only one turn of a project may be under way. */
  take(scope: ProjectScope): Promise<KeptLease | 'held by another' | 'nothing to publish'>
  /** Ends a turn: from now on the lease is saved and renewed, or released at once if the project is shared. */
  endTurn(lease: KeptLease): Promise<void>
  /** Another process commits events in this project too. */
  noteShared(projectId: string): void
  /** Saves the position and releases the lease, so that any relay can go on. */
  release(lease: KeptLease): Promise<void>
  /** Releases the lease without saving: the journal does not have what was published. */
  drop(lease: KeptLease): Promise<void>
  /** Releases all leases. */
  stop(): Promise<void>
}

/** The options of `keepLeases`. */
export interface KeepLeasesOptions {
  readonly owner: LeaseOwner
  readonly historyMs: number
  /** The journal goes on after what was published, so the project needs a turn. */
  readonly onBehind: (projectId: string) => void
  /** Events were published that the journal has lost; nothing in memory about the project is right. */
  readonly onOtherHistory: (projectId: string, last: JournalCursor) => void
}

/** Milliseconds between saves of a project's position. */
const SAVE_MS = 100
/** How many projects are saved at a time, so that thousands of them do not take all connections. */
const SAVES_AT_ONCE = 4
/** Milliseconds for which a project counts as shared after another process's event or lease was seen. */
const SHARED_MS = 10_000

/** What only this file needs to know of a lease. */
interface Entry {
  readonly lease: KeptLease
  saved: JournalCursor
  /** Until when the lease certainly holds, in the time of `performance.now`. */
  until: number
  /** The statement that saves it now; null if there is none. */
  saving: Promise<void> | null
  /** Its release; null until then. */
  ending: Promise<void> | null
}

/** Keeps no lease yet. */
export function keepLeases(options: KeepLeasesOptions): KeptLeases {
  const { owner, historyMs, onBehind, onOtherHistory } = options
  const entries = new Map<string, Entry>()
  const sharedUntil = new Map<string, number>()

  const isShared = (projectId: string): boolean => {
    const until = sharedUntil.get(projectId) ?? 0
    if (until < performance.now()) sharedUntil.delete(projectId)
    return sharedUntil.has(projectId)
  }
  const noteShared = (projectId: string) => {
    sharedUntil.set(projectId, performance.now() + SHARED_MS)
  }
  const forget = (entry: Entry) => {
    const { projectId } = entry.lease.scope
    if (entries.get(projectId) === entry) entries.delete(projectId)
  }
  const lose = (entry: Entry) => {
    entry.lease.lost = true
    forget(entry)
  }

  const saveNow = async (entry: Entry, keep: boolean): Promise<void> => {
    const { lease } = entry
    const { scope, published } = lease
    const sentAt = performance.now()
    const head = await savePublished(scope, owner, published, keep)
    if (head === null) {
      lose(entry)
      noteShared(scope.projectId)
      return onBehind(scope.projectId)
    }
    if (head === 'not in the journal') {
      lose(entry)
      await releaseLease(scope, owner)
      return onOtherHistory(scope.projectId, published)
    }
    entry.saved = published
    entry.until = sentAt + owner.leaseMs
    if (head > lease.published.sequence && !lease.inUse) onBehind(scope.projectId)
  }

  /** One statement about a lease at a time, so that a late one cannot release what the next one took. */
  const save = async (entry: Entry, keep: boolean): Promise<void> => {
    while (entry.saving !== null) await entry.saving.catch(() => {})
    if (entry.lease.lost) return
    entry.saving = saveNow(entry, keep).finally(() => {
      entry.saving = null
    })
    await entry.saving
  }

  const release = (entry: Entry): Promise<void> => {
    // If the database fails, the lease runs out by itself.
    entry.ending ??= save(entry, false).finally(() => lose(entry))
    return entry.ending
  }

  /** Saves, renews or releases a lease, unless a statement about it is under way. */
  const lookAfter = async (entry: Entry): Promise<void> => {
    const { lease, saved, saving, ending, until } = entry
    if (saving !== null || ending !== null) return
    const isSaved = saved.sequence === lease.published.sequence && saved.hash === lease.published.hash
    const isOld = until - performance.now() < (owner.leaseMs * 2) / 3
    if (!isSaved || (lease.inUse && isOld)) await save(entry, true)
    else if (!lease.inUse) await release(entry)
  }
  const lookAfterAll = async (): Promise<number | void> => {
    const left = [...entries.values()]
    const work = async () => {
      for (let entry = left.shift(); entry !== undefined; entry = left.shift())
        // After a failure the same is tried at the next look, and the lease ends in time.
        await lookAfter(entry).catch(() => {})
    }
    await Promise.all(Array.from({ length: SAVES_AT_ONCE }, work))
    return entries.size === 0 ? UNTIL_WOKEN : undefined
  }
  const everyMs = Math.min(SAVE_MS, owner.leaseMs / 3)
  // Failures are met lease by lease.
  const looking = startLoop(lookAfterAll, { everyMs, onError: () => {} })

  return {
    async take(scope) {
      const { projectId } = scope
      const kept = entries.get(projectId)
      if (kept !== undefined) {
        await kept.ending?.catch(() => {})
        if (!kept.lease.lost && performance.now() < kept.until) {
          kept.lease.inUse = true
          return kept.lease
        }
        lose(kept)
      }
      const sentAt = performance.now()
      const taken = await takeLease(scope, owner, historyMs)
      if (taken === 'held by another') noteShared(projectId)
      if (typeof taken === 'string') return taken
      const lease: KeptLease = { scope, published: taken.published, inUse: true, lost: false }
      entries.set(projectId, {
        lease,
        saved: taken.published,
        until: sentAt + owner.leaseMs,
        saving: null,
        ending: null,
      })
      looking.wake(everyMs)
      return lease
    },
    async endTurn(lease) {
      lease.inUse = false
      const entry = entries.get(lease.scope.projectId)
      if (entry?.lease === lease && isShared(lease.scope.projectId)) await release(entry)
    },
    noteShared,
    async release(lease) {
      lease.inUse = false
      const entry = entries.get(lease.scope.projectId)
      if (entry?.lease === lease) await release(entry)
    },
    async drop(lease) {
      lease.inUse = false
      const entry = entries.get(lease.scope.projectId)
      if (entry?.lease !== lease) return
      lose(entry)
      await entry.saving?.catch(() => {})
      await releaseLease(lease.scope, owner)
    },
    async stop() {
      await looking.stop()
      await Promise.all([...entries.values()].map((entry) => release(entry).catch(() => {})))
    },
  }
}
