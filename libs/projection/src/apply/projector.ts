import { JournalDiverged } from '@daybook/journal/chain/journal-diverged'
import { readFollowing } from '@daybook/journal/read/read'
import { type JournalRecord, toReadable } from '@daybook/journal/read/stored-event'
import type { JournalCursor } from '@daybook/memory/events'
import type { Database } from '@daybook/postgres/connect'
import { isRelationMissing } from '@daybook/postgres/errors'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { type Activity, ALWAYS_ACTIVE } from '@daybook/runtime/activity'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { createWakeUp } from '@daybook/runtime/wake-up'
import type { Bus } from '@daybook/transport/bus'
import { createEventBuffer, type EventBuffer } from '@daybook/transport/event-buffer'
import { sql } from 'kysely'
import { markUnusable } from '../generations/generations.ts'
import { heal } from '../positions/heal.ts'
import type { PositionSignal } from '../positions/position-signal.ts'
import { createReachedPositions } from '../positions/reached-positions.ts'
import { PositionMoved, type Projection } from '../projection.ts'
import { applyWithParking } from './apply-with-parking.ts'
import { traceApplied } from './trace-applied.ts'

/*
 * Writes a projection. Each project goes through
 *
 *   idle ──event on the bus, or the poll found it elsewhere than its journal──▶ behind ──position = head──▶ idle
 *
 * and while it is behind, batches are applied strictly in sequence: what is at or below the position is skipped, what
 * follows on is applied from the bus, and everything else is read from the journal, which alone decides. Projects that are
 * behind take turns, a batch each. One that cannot be written now is tried again at the next look at the journal.
 *
 * An event follows on the position if it is linked to it: its hash was made with the position's. Where the journal has no event
 * with the position's hash, the two have diverged, and the projection goes back to the last place that both have (`heal.ts`).
 * News of events that the journal has lost since, or will never have, are dropped.
 *
 * Replicas share the news of a durable group. One that gets news of a project at which another is just at work leaves that
 * project for a moment; news are acknowledged once the position has reached them, whoever moved it there.
 */

export interface Projector {
  /** Finishes the batch under way. */
  stop(): Promise<void>
}

export interface ProjectorOptions {
  readonly db: Database
  readonly projection: Projection
  readonly bus: Bus
  readonly signal: PositionSignal
  readonly logger: Logger
  /** Called after each applied batch, outside its transaction, with the number of its events. */
  readonly onApplied?: (events: number) => void
  /** Milliseconds between looks at the journal for what the bus did not bring. */
  readonly pollMs?: number | undefined
  readonly activity?: Activity | undefined
}

/** Events applied in one transaction. */
const BATCH_EVENTS = 100

/** Milliseconds to leave alone the projects that other replicas are at work on: about what a batch takes them. */
const OTHERS_TURN_MS = 20

export function startProjector(options: ProjectorOptions): Projector {
  const { db, projection, bus, signal, logger, onApplied = () => {} } = options
  const { pollMs = 1_000, activity = ALWAYS_ACTIVE } = options
  const buffers = new Map<string, EventBuffer>()
  const behind = new Set<string>()
  const unsettled = new Set<string>()
  /** The hashes of places that were said to be none of their journals'. */
  const said = new Map<string, string>()
  const wakeUp = createWakeUp()
  const stop = new AbortController()

  const reached = createReachedPositions()

  const consumer = bus.consume(`${projection.name}-${projection.generation}`, (news) => {
    const buffer = buffers.get(news.projectId) ?? createEventBuffer()
    buffers.set(news.projectId, buffer)
    buffer.add(news.events)
    behind.add(news.projectId)
    wakeUp.raise()
    return reached.wait(news.projectId, news.sequence)
  })

  /** @throws JournalDiverged where the position is none of the journal's */
  const nextRecords = async (
    scope: ProjectScope,
    position: JournalCursor,
  ): Promise<readonly JournalRecord[]> => {
    const buffered = buffers.get(scope.projectId)?.following(position, BATCH_EVENTS) ?? []
    if (buffered.length === 0) return readFollowing(scope, position, BATCH_EVENTS)
    return buffered.map(toReadable)
  }

  /** Applies the next batch of a project. @returns whether there is more of it, as far as is known here. */
  const step = async (projectId: string): Promise<boolean> => {
    const scope = projectScope(db, projectId)
    if (unsettled.delete(projectId)) await projection.outside?.settle(scope)
    const position = await projection.position(scope)
    reached.moved(projectId, position.sequence)
    const records = await nextRecords(scope, position).catch(async (error: unknown) => {
      if (!(error instanceof JournalDiverged)) throw error
      const isNew = said.get(projectId) !== position.hash
      said.set(projectId, position.hash)
      await heal(scope, projection, position, isNew ? logger : null)
      said.delete(projectId)
      return null
    })
    if (records === null) return true
    const last = records.at(-1)
    if (last === undefined) {
      // All of the journal is applied: news of more are of a history that it has lost, and nobody need wait for them.
      reached.moved(projectId, Number.POSITIVE_INFINITY)
      buffers.delete(projectId)
      return false
    }
    const startedAt = Date.now()
    await applyWithParking(scope, projection, position, records, (problem) =>
      logger.warn(
        { projection: projection.name, projectId, ...problem },
        'an event could not be applied; trying again',
      ),
    )
    reached.moved(projectId, last.sequence)
    signal.moved()
    traceApplied(projection.name, records, startedAt)
    onApplied(records.length)
    // What comes after a part of a batch has its own news, and news that are lost are found by the next look at the journal. To
    // look at once cost three statements for every memory that is remembered by itself, of some twenty in all.
    return records.length === BATCH_EVENTS || buffers.get(projectId)?.hasAfter(last.sequence) === true
  }

  /** It is not written any more as soon as whoever started this looks at the generations again (`apply-to-generations.ts`). */
  const noteUnusable = async (error: Error): Promise<void> => {
    const place = { projection: projection.name, generation: projection.generation }
    try {
      if (await markUnusable(db, place, error.message))
        logger.error({ ...place, error }, 'a generation is unusable: it has to be made anew')
    } catch (again) {
      logger.warn(
        { ...place, error: again },
        'that a generation is unusable could not be noted; trying again',
      )
    }
  }

  /**
   * One batch, so that a project with a long way to go does not keep the others waiting.
   * @returns false where another replica is at work on the project
   */
  const takeTurn = async (projectId: string): Promise<boolean> => {
    behind.delete(projectId)
    try {
      if (await step(projectId)) behind.add(projectId)
      return true
    } catch (error) {
      if (error instanceof PositionMoved || error instanceof JournalDiverged) behind.add(projectId)
      // What is known of the project came over the bus, and the journal knows better.
      if (error instanceof JournalDiverged) {
        buffers.delete(projectId)
        logger.warn(
          { projection: projection.name, projectId, lost: error.place },
          'events came over the bus that the journal does not have; they are not applied',
        )
      }
      if (isRelationMissing(error)) await noteUnusable(error as Error)
      // Nothing more is done for it now: the next look at the journal finds it behind and tries again.
      else if (!(error instanceof PositionMoved))
        logger.warn(
          { projection: projection.name, projectId, error },
          'the projection could not be written; trying again',
        )
      return !(error instanceof PositionMoved)
    }
  }

  const findBehind = async (): Promise<void> => {
    try {
      const { rows } = await sql<{ project_id: string }>`
        select coalesce(head.project_id, place.project_id) as project_id from journal_heads head
        full join (
          select project_id, position, hash from positions
          where projection = ${projection.name} and generation = ${projection.generation}
        ) place on place.project_id = head.project_id
        where coalesce(head.sequence, 0) <> coalesce(place.position, 0)
          or place.position > 0 and place.hash <> head.hash`.execute(db)
      for (const row of rows) behind.add(row.project_id)
      for (const projectId of (await projection.outside?.unsettled()) ?? []) {
        unsettled.add(projectId)
        behind.add(projectId)
      }
    } catch (error) {
      logger.warn({ projection: projection.name, error }, 'the journal cannot be read; trying again')
    }
  }

  let nextLook = 0
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      if (Date.now() >= nextLook) {
        await findBehind()
        nextLook = Date.now() + activity.interval(pollMs)
      }
      // Those that are behind now: whoever gets behind again meanwhile has its next turn after all others.
      const turns = Array.from(behind)
      let moved = turns.length === 0
      for (const projectId of turns) if (!stop.signal.aborted) moved = (await takeTurn(projectId)) || moved
      if (stop.signal.aborted) break
      if (behind.size === 0) await wakeUp.wait(Math.max(0, nextLook - Date.now()))
      else if (!moved) await pause(OTHERS_TURN_MS)
    }
  }

  const running = run()
  const leave = activity.onActive(() => {
    nextLook = 0
    wakeUp.raise()
  })
  return {
    async stop() {
      leave()
      stop.abort()
      wakeUp.raise()
      await running
      reached.giveUp()
      await consumer.stop()
    },
  }
}
