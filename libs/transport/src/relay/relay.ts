import { hostname } from 'node:os'
import type { LinkedEvent } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import type { Metrics } from '@daybook/runtime/metrics'
import { createWakeUp } from '@daybook/runtime/wake-up'
import type { Bus } from '../bus.ts'
import { createEventBuffer, type EventBuffer } from '../event-buffer.ts'
import { publishProject, type TurnOptions } from './publish-project.ts'
import { findUnpublished, readPublished } from './relay-positions.ts'

/*
 * Brings committed events to the bus, each project's in order. Each project goes through
 *
 *   published ──commit here, or the poll found it──▶ behind ──lease──▶ publishing ──position = head──▶ published
 *
 * and back to behind where another relay has the lease, or the bus or the database fails. Every process that commits
 * events runs a relay; whoever has a project's lease publishes for all, and what a dead one left is found by the poll of any.
 */

export interface Relay {
  /** To be called after each commit, with its events. It never throws and never waits. */
  committed(projectId: string, events: readonly LinkedEvent[]): void
  /** The last sequence of the project that was published by any relay; 0 where none was. */
  published(scope: ProjectScope): Promise<number>
  /** Finishes the batches under way and gives the leases up. What is left, another relay publishes. */
  stop(): Promise<void>
}

export interface RelayOptions {
  readonly db: Database
  readonly bus: Bus
  readonly logger: Logger
  readonly metrics?: Pick<Metrics, 'relayed'>
  /** Milliseconds between looks for what other processes left. @default 1000 */
  readonly pollMs?: number
  /** Milliseconds after which the project of a dead relay is another's. @default 10000 */
  readonly leaseMs?: number
  /** How old an event may be to be published, of a project that never was, in milliseconds: see `takeLease`. @default one minute */
  readonly historyMs?: number
}

/** Projects published at a time: while one waits for NATS, another reads. */
const TURNS_AT_ONCE = 4
/** How long to leave alone the projects that other relays are at: about what a small batch takes them, then longer. */
const OTHERS_TURN = { firstMs: 20, maxMs: 500 }
/** Events kept in memory until they are published, a batch a project; the journal has those beyond. */
const BUFFERED_EVENTS = 500
const BUFFERED_PROJECTS = 20

/** What came of a look at the journal, or of a turn of every project that is behind. */
interface Round {
  /** Something was published, or found to be. */
  readonly moved: boolean
  /** One of the failures; null where there was none. */
  readonly error: unknown
}

export function startRelay(options: RelayOptions): Relay {
  const { db, bus, logger, metrics, pollMs = 1_000, leaseMs = 10_000, historyMs = 60_000 } = options
  const owner = { name: `${hostname()} ${process.pid} ${newId()}`, leaseMs }
  const buffers = new Map<string, EventBuffer>()
  const behind = new Set<string>()
  const wakeUp = createWakeUp()
  const stop = new AbortController()
  /** Looks and rounds in a row that failed without anything published; 0 while all is well. */
  let failures = 0

  const turnOptions: TurnOptions = {
    bus,
    owner,
    historyMs,
    logger,
    stopping: stop.signal,
    onPublished(events) {
      for (const event of events) metrics?.relayed((Date.now() - Date.parse(event.recordedAt)) / 1_000)
    },
  }

  /** Each state is said once, however long it lasts: an hour without NATS is two lines. */
  const assess = ({ moved, error }: Round): void => {
    if (error === null && failures > 0) logger.info('events are published again')
    if (error !== null && failures === 0)
      logger.warn(
        { error },
        'events cannot be published now: they stay in the journal, and it is tried again until it works',
      )
    if (error === null) failures = 0
    // Where some can be published and some cannot, the latter must not slow the former down more and more.
    else failures = moved ? 1 : failures + 1
  }

  /** @returns whether something was done, rather than left to another relay. */
  const takeTurn = async (projectId: string): Promise<boolean> => {
    const end = await publishProject(projectScope(db, projectId), buffers.get(projectId), turnOptions)
    if (end === 'other history') buffers.delete(projectId)
    if (end !== 'done') behind.add(projectId)
    // Its events are out, or more came meanwhile and made it behind again.
    else if (!behind.has(projectId)) buffers.delete(projectId)
    return end !== 'held by another'
  }

  /** One turn for each that is behind now. */
  const takeTurns = async (): Promise<Round> => {
    const turns = Array.from(behind)
    behind.clear()
    const failed: string[] = []
    let moved = false
    let error: unknown = null
    const work = async () => {
      for (let id = turns.shift(); id !== undefined; id = turns.shift()) {
        // After a failure the rest would fail likewise, each at the price of its statements.
        if (stop.signal.aborted || error !== null) behind.add(id)
        else
          try {
            moved = (await takeTurn(id)) || moved
          } catch (caught) {
            error = caught
            failed.push(id)
          }
      }
    }
    await Promise.all(Array.from({ length: TURNS_AT_ONCE }, work))
    // Last, so that one which cannot be published does not keep the others from their turn.
    for (const id of failed) {
      behind.delete(id)
      behind.add(id)
    }
    return { moved, error }
  }

  const findBehind = async (): Promise<Round> => {
    try {
      for (const projectId of await findUnpublished(db)) behind.add(projectId)
      return { moved: false, error: null }
    } catch (error) {
      return { moved: false, error }
    }
  }

  const run = async (): Promise<void> => {
    let nextLook = 0
    let leftToOthers = 0
    while (!stop.signal.aborted) {
      const looking = Date.now() >= nextLook
      const look = looking ? await findBehind() : { moved: false, error: null }
      if (looking) nextLook = Date.now() + pollMs
      const turns = await takeTurns()
      if (stop.signal.aborted) break
      const round = { moved: turns.moved, error: look.error ?? turns.error }
      assess(round)
      leftToOthers = round.moved || behind.size === 0 ? 0 : leftToOthers + 1
      // Commits go on meanwhile and do not cut the pause short: they would make it a loop.
      if (failures > 0) await pause(backoffDelay(failures - 1, { firstMs: 100 }), stop.signal)
      else if (behind.size === 0) await wakeUp.wait(Math.max(0, nextLook - Date.now()))
      else if (!round.moved) await wakeUp.wait(backoffDelay(leftToOthers - 1, OTHERS_TURN))
    }
  }

  const running = run()
  return {
    committed(projectId, events) {
      const buffer = buffers.get(projectId) ?? newBuffer(buffers, projectId)
      buffer?.add(events)
      behind.add(projectId)
      wakeUp.raise()
    },
    published: readPublished,
    async stop() {
      stop.abort()
      wakeUp.raise()
      await running
    },
  }
}

function newBuffer(buffers: Map<string, EventBuffer>, projectId: string): EventBuffer | undefined {
  if (buffers.size >= BUFFERED_PROJECTS) return undefined
  const buffer = createEventBuffer(BUFFERED_EVENTS)
  buffers.set(projectId, buffer)
  return buffer
}
