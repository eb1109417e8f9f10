import { hostname } from 'node:os'
import { newId } from '@daybook/memory/id'
import { restAfterLook } from '@daybook/postgres/access/projects'
import { isAheadOfClock } from '@daybook/postgres/clock'
import type { Database } from '@daybook/postgres/connect'
import { isReadOnly } from '@daybook/postgres/errors'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { startLoop } from '@daybook/runtime/loop'
import type { Metrics } from '@daybook/runtime/metrics'
import { sql } from 'kysely'
import { type Bus, hasEvent, type PublishedEntry } from '../bus.ts'
import { createEventBuffer, type EventBuffer } from '../event-buffer.ts'
import { keepLeases } from './kept-leases.ts'
import { publishProject } from './publish-project.ts'
import { findUnpublished, readPublished } from './relay-positions.ts'

/*
 * Brings committed events to the bus, in order within each project. Each project goes through
 *
 *   published ──commit here, or the poll found it──▶ behind ──lease (`kept-leases.ts`)──▶ publishing
 *   ──nothing more is known──▶ published
 *
 * and back to behind if another relay has the lease, or the bus or the database fails. Every process that
 * commits events runs a relay. The relay with a project's lease publishes for all. One relay's polls find what
 * dead ones left: the others look less often whether it still does, and take its place.
 */

/** A running relay. */
export interface Relay {
  /** Call it after each commit, with its events. It never throws and never waits. */
  committed(projectId: string, events: readonly PublishedEntry[]): void
  /** The last sequence of the project that any relay published; 0 if there is none. */
  published(scope: ProjectScope): Promise<number>
  /** Finishes the current batches and releases the leases. Another relay publishes the rest. */
  stop(): Promise<void>
}

/** The options of `startRelay`. */
export interface RelayOptions {
  readonly db: Database
  readonly bus: Bus
  readonly logger: Logger
  readonly metrics?: Pick<Metrics, 'relayed'>
  /**
   * Milliseconds between polls for events that other processes left; with thousands of projects more. While another relay polls,
   * half of `leaseMs`.
   * @default 1000
   */
  readonly pollMs?: number
  /** Milliseconds after which another relay may take a dead one's project. @default 10000 */
  readonly leaseMs?: number
  /**
   * In a project that was never published, older events are skipped; in milliseconds (see `takeLease`).
   * @default one minute
   */
  readonly historyMs?: number
}

/** How many projects are published at a time: while one waits for NATS, another reads. */
const TURNS_AT_ONCE = 4

/**
 * How long to leave projects alone that other relays work on: first about as long as a small batch takes,
 * then longer.
 */
const OTHERS_TURN = { firstMs: 20, maxMs: 500 }

/** Events kept in memory until they are published: one batch per project. The journal has the others. */
const BUFFERED_EVENTS = 500

const BUFFERED_PROJECTS = 20

/** Share of the rest after which another's look is old: this relay's timer may fire a little early by that clock. */
const LATE = 0.9

/** The result of a poll of the journal, or of a turn of every project that is behind. */
interface Round {
  /** Whether something was published or found published. */
  readonly moved: boolean
  /** One of the failures; null if there was none. */
  readonly error: unknown
}

/** Starts publishing; runs until `stop`. */
export function startRelay(options: RelayOptions): Relay {
  const { db, bus, logger, metrics, pollMs = 1_000, leaseMs = 10_000, historyMs = 60_000 } = options
  const owner = { name: `${hostname()} ${process.pid} ${newId()}`, leaseMs }
  const buffers = new Map<string, EventBuffer>()
  const behind = new Set<string>()
  /** Consecutive polls and rounds that failed without publishing anything; 0 if all is well. */
  let failures = 0

  const leases = keepLeases({
    owner,
    historyMs,
    onBehind(projectId) {
      behind.add(projectId)
      loop.wake()
    },
    onOtherHistory(projectId, last) {
      // The bus delivered events that nobody will ever read. Listeners ask the journal, which continues from
      // the saved position.
      logger.warn(
        { projectId, last },
        'events were published that the journal had lost; the events that it has now are published instead',
      )
      buffers.delete(projectId)
      behind.add(projectId)
      loop.wake()
    },
  })
  const turnOptions = {
    bus,
    leases,
    owner,
    logger,
    onPublished(events: readonly PublishedEntry[]) {
      for (const event of events) metrics?.relayed((Date.now() - Date.parse(event.recordedAt)) / 1_000)
    },
  }

  /** Logs each change of state once: an hour without NATS is two lines. */
  const assess = ({ moved, error }: Round): void => {
    if (error === null && failures > 0) logger.info('events are published again')
    if (error !== null && failures === 0)
      logger.warn(
        { error },
        'events cannot be published now: they stay in the journal, and publishing is tried again until it works',
      )
    if (error === null) failures = 0
    // If some projects fail and others do not, the failing ones must not slow down the others more and more.
    else failures = moved ? 1 : failures + 1
  }

  /** @returns whether something was done, rather than left to another relay */
  const takeTurn = async (projectId: string, stopping: AbortSignal): Promise<boolean> => {
    const end = await publishProject(projectScope(db, projectId), buffers.get(projectId), {
      ...turnOptions,
      stopping,
    })
    if (end === 'other history') buffers.delete(projectId)
    if (end !== 'done') behind.add(projectId)
    // Either its events are out, or more came meanwhile and it is behind again.
    else if (!behind.has(projectId)) buffers.delete(projectId)
    return end !== 'held by another'
  }

  /** Gives each project that is behind now one turn. */
  const takeTurns = async (stopping: AbortSignal): Promise<Round> => {
    const turns = Array.from(behind)
    behind.clear()
    const failed: string[] = []
    let moved = false
    let error: unknown = null
    const work = async () => {
      for (let id = turns.shift(); id !== undefined; id = turns.shift()) {
        // After a failure the rest would fail as well, each at the cost of its statements.
        if (stopping.aborted || error !== null) behind.add(id)
        else
          try {
            moved = (await takeTurn(id, stopping)) || moved
          } catch (caught) {
            error = caught
            failed.push(id)
          }
      }
    }
    await Promise.all(Array.from({ length: TURNS_AT_ONCE }, work))
    // Moved to the end, so that a project that fails does not keep the others from their turn.
    for (const id of failed) {
      behind.delete(id)
      behind.add(id)
    }
    return { moved, error }
  }

  const findBehind = async (): Promise<Round> => {
    try {
      // The first look is this relay's own: it may have been started in place of a dead one.
      const look = await findUnpublished(db, isFirstLook ? 0 : restMs * LATE)
      isFirstLook = false
      for (const projectId of look?.behind ?? []) behind.add(projectId)
      if (look !== null) restMs = restAfterLook(look, pollMs)
      const othersMs = Math.max(2 * restMs, leaseMs / 2)
      nextLook =
        performance.now() + (look === null ? backoffDelay(0, { firstMs: othersMs, maxMs: othersMs }) : restMs)
      return { moved: false, error: null }
    } catch (error) {
      nextLook = performance.now() + pollMs
      // Nothing can be published from there now, and nothing need be.
      return { moved: false, error: isReadOnly(error) ? null : error }
    }
  }

  let nextLook = 0
  let restMs = pollMs
  let isFirstLook = true
  let leftToOthers = 0
  const loop = startLoop(
    async (stopping) => {
      // A relay that cannot publish leaves the looks to others.
      const isDue = performance.now() >= nextLook && (failures === 0 || behind.size === 0)
      const look = isDue ? await findBehind() : { moved: false, error: null }
      const turns = await takeTurns(stopping)
      if (stopping.aborted) return 0
      const round = { moved: turns.moved, error: look.error ?? turns.error }
      assess(round)
      leftToOthers = round.moved || behind.size === 0 ? 0 : leftToOthers + 1
      // Commits during the pause do not cut it short: that would make it a busy loop.
      if (failures > 0) await pause(backoffDelay(failures - 1, { firstMs: 100 }), stopping)
      else if (behind.size === 0) return nextLook - performance.now()
      else if (!round.moved) return backoffDelay(leftToOthers - 1, OTHERS_TURN)
      return 0
    },
    { everyMs: pollMs, onError: (error) => logger.error({ error }, 'the relay failed; trying again') },
  )
  return {
    committed(projectId, events) {
      const buffer = buffers.get(projectId) ?? newBuffer(buffers, projectId)
      // An envelope alone is read from the journal, in its turn.
      buffer?.add(events.filter(hasEvent))
      behind.add(projectId)
      loop.wake()
    },
    published: readPublished,
    async stop() {
      await loop.stop()
      await leases.stop()
    },
  }
}

function newBuffer(buffers: Map<string, EventBuffer>, projectId: string): EventBuffer | undefined {
  if (buffers.size >= BUFFERED_PROJECTS) return undefined
  const buffer = createEventBuffer(BUFFERED_EVENTS)
  buffers.set(projectId, buffer)
  return buffer
}

/** Committed events that are not published yet, in all projects that a relay has looked at. */
export interface Backlog {
  readonly events: number
  /**
   * How long the oldest of them has waited, in milliseconds; 0 if there is none. Events recorded while the
   * clock was ahead cannot tell; the first other one counts instead.
   */
  readonly oldestMs: number
}

/**
 * Looks at one row per project, and at one event of each that is behind; more only if events are ahead of the
 * clock.
 */
export async function readBacklog(db: Database): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select coalesce(sum(head.sequence - place.published), 0)::bigint as events,
      coalesce(max(extract(epoch from clock_timestamp() - oldest.recorded_at)) * 1000, 0)::float8 as "oldestMs"
    from relay_positions place
    join journal_heads head on head.project_id = place.project_id
    left join lateral (
      select recorded_at from events
      where project_id = place.project_id and sequence > place.published and not ${isAheadOfClock(sql`recorded_at`)}
      order by sequence limit 1
    ) oldest on true
    where head.sequence > place.published`.execute(db)
  const backlog = rows[0] ?? { events: 0, oldestMs: 0 }
  // Never negative: the clocks of two machines differ, such as after a failover.
  return { ...backlog, oldestMs: Math.max(0, backlog.oldestMs) }
}
