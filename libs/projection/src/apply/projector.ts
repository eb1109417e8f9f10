import { JournalDiverged } from '@daybook/journal/chain/check-chain'
import { readCheckedEnd, readFollowing } from '@daybook/journal/read/read'
import { type JournalRecord, toReadable } from '@daybook/journal/read/stored-event'
import type { JournalCursor, LinkedEvent } from '@daybook/memory/events'
import { readDeleted } from '@daybook/postgres/access/delete-project'
import { type ProjectsLook, restAfterLook } from '@daybook/postgres/access/projects'
import { answersAtOnce, type Database } from '@daybook/postgres/connect'
import { isRelationMissing } from '@daybook/postgres/errors'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { pause } from '@daybook/runtime/backoff'
import type { Logger } from '@daybook/runtime/logger'
import { type Activity, ALWAYS_ACTIVE, startLoop } from '@daybook/runtime/loop'
import type { Bus } from '@daybook/transport/bus'
import { createEventBuffer, type EventBuffer } from '@daybook/transport/event-buffer'
import { sql } from 'kysely'
import { type GenerationRef, markUnusable } from '../generations/generations.ts'
import { heal } from '../positions/divergence.ts'
import { createReachedPositions, type PositionSignal } from '../positions/positions.ts'
import { PositionMoved, type Projection } from '../projection.ts'
import { applyWithParking, traceApplied } from './apply-with-parking.ts'
import { countParked } from './parked-events.ts'

/*
 * Writes a projection. Each project goes through these states:
 *
 *   idle ──event on the bus, or the poll finds position ≠ head──▶ behind ──position = head──▶ idle
 *
 * While a project is behind, batches are applied strictly in sequence. Events at or below the position are
 * skipped. Events that follow the position are taken from the bus; everything else is read from the journal,
 * which is authoritative. Projects that are behind take turns, one batch each. A project that cannot be
 * written now is retried at the next look at the journal.
 *
 * An event follows the position if its hash was made with the position's hash. If the journal has no event
 * with the position's hash, the two have diverged, and the projection goes back to the last cursor that both
 * have (`divergence.ts`). Messages about events that the journal has lost, or will never have, are dropped.
 *
 * While events follow the position that this projector reached itself, it neither reads the position nor looks
 * for parked events (`expected`): the transaction that applies them locks the position, and finds it moved if
 * another replica was there, or an event parked.
 *
 * Replicas share the messages of a durable group. A replica that gets a message about a project on which
 * another replica is working leaves that project alone for a moment. A message is acknowledged once the
 * position has reached it, whichever replica moved the position.
 */

/** A running projector. */
export interface Projector {
  /** Finishes the current batch. */
  stop(): Promise<void>
}

/** How to start a projector. */
interface ProjectorOptions {
  readonly db: Database
  readonly projection: Projection
  readonly bus: Bus
  readonly signal: PositionSignal
  readonly logger: Logger
  /** Called with the events of a message when it comes, before they are applied, if they ever are. */
  readonly onComing?: (projectId: string, events: readonly LinkedEvent[]) => void
  /** Called after each applied batch, outside its transaction, with the number of its events. */
  readonly onApplied?: (events: number) => void
  /** Milliseconds between looks at the journal for events that the bus did not bring. Default 1,000. */
  readonly pollMs?: number | undefined
  readonly activity?: Activity | undefined
}

/** Events applied in one transaction. */
const BATCH_EVENTS = 100

/** Milliseconds to leave a project alone while another replica works on it: about the time of one batch. */
const OTHERS_TURN_MS = 20

/** How many projects are applied at a time on a server: while one waits for it, another is made ready. */
const TURNS_AT_ONCE = 4

/**
 * A database with one session serves nobody else while a batch is applied: 8 statements for a single event, three times as long as
 * its append. So after small batches the projector leaves the session to others for as long as it had it, but for at most so many
 * milliseconds. One client after another write then waits for a batch once in three writes instead of always, and the next batch
 * has all three. A memory that is written alone is projected at once.
 */
const LEFT_TO_OTHERS_MS = 25

/** Starts a projector for one generation. It runs until it is stopped, and retries after every failure. */
export function startProjector(options: ProjectorOptions): Projector {
  const { db, projection, bus, signal, logger, onComing, onApplied = () => {} } = options
  const { pollMs = 1_000, activity = ALWAYS_ACTIVE } = options
  const buffers = new Map<string, EventBuffer>()
  const behind = new Set<string>()
  const unsettled = new Set<string>()
  /** The position of a project after this projector's last batch, if no event of the project is parked there. */
  const expected = new Map<string, JournalCursor>()
  /** The hash of the diverged position that was last logged, by project. */
  const said = new Map<string, string>()
  const reached = createReachedPositions()

  /** @throws JournalDiverged if the journal does not have the position */
  const nextRecords = async (
    scope: ProjectScope,
    position: JournalCursor,
  ): Promise<readonly JournalRecord[]> => {
    const buffered = buffers.get(scope.projectId)?.following(position, BATCH_EVENTS) ?? []
    if (buffered.length === 0) return readFollowing(scope, position, BATCH_EVENTS)
    return buffered.map(toReadable)
  }

  const onRetry = (projectId: string) => (problem: object) =>
    logger.warn(
      { projection: projection.name, projectId, ...problem },
      'an event could not be applied; trying again',
    )
  const noteApplied = (projectId: string, records: readonly JournalRecord[], startedAt: number): void => {
    const last = records.at(-1)
    if (last === undefined) return
    if (records.length === BATCH_EVENTS) isFull = true
    reached.moved(projectId, last.sequence)
    signal.moved()
    traceApplied(projection.name, records, startedAt)
    onApplied(records.length)
  }
  // Events after a partial batch bring their own message, and the next look at the journal finds those whose
  // message was lost. Looking at once would take 3 of about 20 statements for every memory that is remembered
  // alone.
  const isMoreKnown = (projectId: string, records: readonly JournalRecord[]): boolean =>
    records.length === BATCH_EVENTS ||
    buffers.get(projectId)?.hasAfter(records.at(-1)?.sequence ?? 0) === true

  /** Applies what the bus brought after the expected position. @returns null if there is nothing like that */
  const stepAsExpected = async (projectId: string): Promise<boolean | null> => {
    const position = expected.get(projectId)
    const events = position && buffers.get(projectId)?.following(position, BATCH_EVENTS)
    const last = events?.at(-1)
    if (position === undefined || events === undefined || last === undefined) return null
    // Only success makes the next one expected.
    expected.delete(projectId)
    const startedAt = Date.now()
    const records = events.map(toReadable)
    const scope = projectScope(db, projectId)
    if (!(await applyWithParking(scope, projection, position, records, onRetry(projectId), true)))
      expected.set(projectId, { sequence: last.sequence, hash: last.hash })
    noteApplied(projectId, records, startedAt)
    return isMoreKnown(projectId, records)
  }

  /** Applies a project's next batch. @returns whether more is known to follow */
  const step = async (projectId: string): Promise<boolean> => {
    const scope = projectScope(db, projectId)
    if (unsettled.delete(projectId)) await projection.outside?.settle(scope)
    const position = await projection.position(scope)
    reached.moved(projectId, position.sequence)
    const records = await nextRecords(scope, position).catch(async (error: unknown) => {
      if (!(error instanceof JournalDiverged)) throw error
      // Its deletion removes what it held here.
      if ((await readDeleted(scope.db, projectId)) !== null) return []
      const isNew = said.get(projectId) !== position.hash
      said.set(projectId, position.hash)
      await heal(scope, projection, position, isNew ? logger : null)
      said.delete(projectId)
      return null
    })
    if (records === null) return true
    const last = records.at(-1)
    if (last === undefined) {
      // The whole journal is applied. Messages about later events belong to a history that it has lost:
      // nobody need wait for them.
      reached.moved(projectId, Number.POSITIVE_INFINITY)
      buffers.delete(projectId)
      return false
    }
    const startedAt = Date.now()
    const parks = await applyWithParking(scope, projection, position, records, onRetry(projectId))
    noteApplied(projectId, records, startedAt)
    const isMore = isMoreKnown(projectId, records)
    // A position outside the journal's database may be behind what is written there, so it is always read.
    if (!isMore && !parks && projection.outside === undefined && (await countParked(scope, projection)) === 0)
      expected.set(projectId, { sequence: last.sequence, hash: last.hash })
    return isMore
  }

  /** `apply-to-generations.ts` stops writing the generation when it next looks at the list. */
  const noteUnusable = async (error: Error): Promise<void> => {
    const place = { projection: projection.name, generation: projection.generation }
    try {
      if (await markUnusable(db, place, error.message))
        logger.error({ ...place, error }, 'a generation is unusable and must be rebuilt')
    } catch (again) {
      logger.warn({ ...place, error: again }, 'could not mark a generation as unusable; trying again')
    }
  }

  /** That is usual for a copy, where the home's events take the place of a branch's. */
  const noteLost = async (projectId: string, { place }: JournalDiverged): Promise<void> => {
    const { isCopy } = await readCheckedEnd(projectScope(db, projectId)).catch(() => ({ isCopy: false }))
    logger[isCopy ? 'debug' : 'warn'](
      { projection: projection.name, projectId, lost: place },
      'events came over the bus that the journal does not have; they are not applied',
    )
  }

  /**
   * Applies one batch, so that a project far behind does not keep the others waiting.
   * @returns false if another replica is working on the project
   */
  const takeTurn = async (projectId: string): Promise<boolean> => {
    behind.delete(projectId)
    try {
      const isMore = await stepAsExpected(projectId).catch((error: unknown) => {
        // Another replica was there. The position is read, like the first time.
        if (error instanceof PositionMoved) return null
        throw error
      })
      if (isMore ?? (await step(projectId))) behind.add(projectId)
      return true
    } catch (error) {
      if (error instanceof PositionMoved || error instanceof JournalDiverged) behind.add(projectId)
      // The buffered events came over the bus; the journal is authoritative.
      if (error instanceof JournalDiverged) {
        buffers.delete(projectId)
        await noteLost(projectId, error)
      } else if (isRelationMissing(error)) await noteUnusable(error as Error)
      // Nothing more to do now: the next look at the journal finds the project behind and tries again.
      else if (!(error instanceof PositionMoved))
        logger.warn(
          { projection: projection.name, projectId, error },
          'the projection could not be written; trying again',
        )
      return !(error instanceof PositionMoved)
    }
  }

  const findBehind = async (): Promise<void> => {
    nextLook = performance.now() + activity.interval(pollMs)
    try {
      const look = await findBehindProjects(db, projection)
      for (const projectId of look.behind) behind.add(projectId)
      nextLook = performance.now() + activity.interval(restAfterLook(look, pollMs))
      for (const projectId of (await projection.outside?.unsettled()) ?? []) {
        unsettled.add(projectId)
        behind.add(projectId)
      }
    } catch (error) {
      logger.warn({ projection: projection.name, error }, 'the journal cannot be read; trying again')
    }
  }

  /** Whether a batch of this round was as large as batches are: then much is to be done, and nobody is left to wait for it. */
  let isFull = false
  let restUntil = 0

  const takeTurns = async (stopping: AbortSignal): Promise<number> => {
    const began = performance.now()
    if (began < restUntil) return restUntil - began
    isFull = false
    if (performance.now() >= nextLook) await findBehind()
    // A project that falls behind again during this round has its next turn after all others.
    const turns = Array.from(behind)
    const waiting = turns.length
    let moved = waiting === 0
    const work = async () => {
      for (let id = turns.shift(); id !== undefined && !stopping.aborted; id = turns.shift())
        moved = (await takeTurn(id)) || moved
    }
    await Promise.all(Array.from({ length: answersAtOnce(db) ? TURNS_AT_ONCE : 1 }, work))
    const ended = performance.now()
    if (waiting > 0 && !isFull && !answersAtOnce(db))
      restUntil = ended + Math.min(ended - began, LEFT_TO_OTHERS_MS)
    if (behind.size === 0) return nextLook - performance.now()
    if (!moved) await pause(OTHERS_TURN_MS, stopping)
    return 0
  }

  let nextLook = 0
  const leave = activity.onActive(() => {
    nextLook = 0
    loop.wake()
  })
  const loop = startLoop(takeTurns, {
    everyMs: pollMs,
    onError: (error) =>
      logger.error({ projection: projection.name, error }, 'a projector failed; trying again'),
  })
  // After the loop: a bus may bring news at once.
  const consumer = bus.consume(`${projection.name}-${projection.generation}`, (news) => {
    const buffer = buffers.get(news.projectId) ?? createEventBuffer()
    buffers.set(news.projectId, buffer)
    buffer.add(news.events)
    behind.add(news.projectId)
    loop.wake()
    try {
      onComing?.(news.projectId, news.events)
    } catch (error) {
      // It saves time and nothing else: whoever published must not hear of it.
      logger.warn(
        { projection: projection.name, projectId: news.projectId, error },
        'what comes with events could not be prepared; they are applied as usual',
      )
    }
    return reached.wait(news.projectId, news.sequence)
  })
  return {
    async stop() {
      leave()
      await loop.stop()
      reached.giveUp()
      await consumer.stop()
    },
  }
}

/** The projects whose journal the generation has not applied, or has applied in another history. Deleted ones do not count. */
export async function findBehindProjects(
  db: Database,
  { name, generation }: GenerationRef,
): Promise<ProjectsLook> {
  const { rows } = await sql<ProjectsLook>`
    select count(*)::int as projects, coalesce(array_agg(coalesce(head.project_id, place.project_id)::text) filter (
      where (coalesce(head.sequence, 0) <> coalesce(place.position, 0)
          or place.position > 0 and place.hash <> head.hash)
        and (head.project_id is not null
          or not exists (select from deleted_projects gone where gone.project_id = place.project_id))), '{}') as behind
    from journal_heads head
    full join (
      select project_id, position, hash from positions where projection = ${name} and generation = ${generation}
    ) place on place.project_id = head.project_id`.execute(db)
  return rows[0] ?? { projects: 0, behind: [] }
}
