import type { Bus } from '@daybook/bus/bus'
import { readJournal } from '@daybook/journal/read'
import type { JournalRecord } from '@daybook/journal/stored-event'
import type { Database } from '@daybook/postgres/connect'
import { projectScope } from '@daybook/postgres/project-scope'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { createWakeUp } from '@daybook/runtime/wake-up'
import { sql } from 'kysely'
import { applyWithParking } from './apply-with-parking.ts'
import { createEventBuffer, type EventBuffer } from './event-buffer.ts'
import type { PositionSignal } from './position-signal.ts'
import { PositionMoved, type Projection } from './projection.ts'

/*
 * Posts a projection. Each project goes through
 *
 *   idle ──event on the bus, or the poll found it behind──▶ behind ──position = head──▶ idle
 *
 * and while it is behind, batches are applied strictly in sequence: what is at or below the position is skipped, what
 * follows on is applied from the bus, and everything else is read from the journal, which alone decides.
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
  /** Called after each applied batch, outside its transaction. */
  readonly onApplied?: () => void
  /** Milliseconds between looks at the journal for what the bus did not bring. */
  readonly pollMs?: number
}

/** Events applied in one transaction. */
const BATCH_EVENTS = 100

export function startProjector(options: ProjectorOptions): Projector {
  const { db, projection, bus, signal, logger, onApplied = () => {}, pollMs = 1_000 } = options
  const buffers = new Map<string, EventBuffer>()
  const behind = new Set<string>()
  const wakeUp = createWakeUp()
  let stopping = false

  const unsubscribe = bus.subscribe((projectId, events) => {
    const buffer = buffers.get(projectId) ?? createEventBuffer()
    buffers.set(projectId, buffer)
    buffer.add(events)
    behind.add(projectId)
    wakeUp.raise()
  })

  /** Applies the next batch of a project. @returns false once there is none. */
  const step = async (projectId: string): Promise<boolean> => {
    const scope = projectScope(db, projectId)
    const position = await projection.position(scope)
    const buffered: JournalRecord[] = (buffers.get(projectId)?.following(position, BATCH_EVENTS) ?? []).map(
      (event) => ({
        sequence: event.sequence,
        memoryId: event.memoryId,
        event,
      }),
    )
    const records =
      buffered.length > 0 ? buffered : await readJournal(scope, { after: position, limit: BATCH_EVENTS })
    if (records.length === 0) return false
    await applyWithParking(scope, projection, position, records, (problem) =>
      logger.warn(
        { projection: projection.name, projectId, ...problem },
        'an event could not be applied; trying again',
      ),
    )
    signal.moved()
    onApplied()
    return true
  }

  const catchUp = async (projectId: string): Promise<void> => {
    behind.delete(projectId)
    for (let attempt = 0; !stopping; ) {
      try {
        if (!(await step(projectId))) return
        attempt = 0
      } catch (error) {
        if (error instanceof PositionMoved) continue
        logger.warn(
          { projection: projection.name, projectId, error },
          'the projection could not be posted; trying again',
        )
        await pause(backoffDelay(attempt))
        attempt += 1
      }
    }
  }

  const findBehind = async (): Promise<void> => {
    const { rows } = await sql<{ project_id: string }>`
      select head.project_id from journal_heads head
      left join positions place on place.project_id = head.project_id
        and place.projection = ${projection.name} and place.generation = ${projection.generation}
      where head.sequence > coalesce(place.position, 0)`.execute(db)
    for (const row of rows) behind.add(row.project_id)
  }

  const run = async (): Promise<void> => {
    let lastPoll = 0
    while (!stopping) {
      try {
        if (Date.now() - lastPoll >= pollMs) {
          await findBehind()
          lastPoll = Date.now()
        }
      } catch (error) {
        logger.warn({ projection: projection.name, error }, 'the journal cannot be read; trying again')
        await pause(pollMs)
      }
      for (const projectId of [...behind]) await catchUp(projectId)
      if (!stopping && behind.size === 0) await wakeUp.wait(pollMs)
    }
  }

  const running = run()
  return {
    async stop() {
      stopping = true
      unsubscribe()
      wakeUp.raise()
      await running
    },
  }
}
