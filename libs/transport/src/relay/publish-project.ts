import { JournalDiverged } from '@daybook/journal/chain/journal-diverged'
import { readFollowing } from '@daybook/journal/read/read'
import { publishable } from '@daybook/journal/read/stored-event'
import type { JournalCursor } from '@daybook/memory/events'
import type { LeaseOwner } from '@daybook/postgres/lease'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Logger } from '@daybook/runtime/logger'
import type { Bus, PublishedEntry } from '../bus.ts'
import type { EventBuffer } from '../event-buffer.ts'
import { goBack, releaseLease, renewLease, savePublished, takeLease } from './relay-positions.ts'

/** What a turn needs besides its project. */
export interface TurnOptions {
  readonly bus: Bus
  readonly owner: LeaseOwner
  readonly historyMs: number
  readonly logger: Logger
  readonly onPublished: (places: readonly PublishedEntry[]) => void
  readonly stopping: AbortSignal
}

/**
 * How a turn ended: everything is published, more is left to publish, or another relay has the lease. `other
 * history`: the journal does not have what was published or was about to be. What memory holds of the project
 * is useless then, and the journal must be read.
 */
export type TurnEnd = 'done' | 'behind' | 'held by another' | 'other history'

/** Events published before the position is saved: a crash repeats at most these. */
const BATCH_EVENTS = 500
/** Batches of a project in one turn, so that a long backlog does not keep the others waiting. */
const TURN_BATCHES = 4

/**
 * Publishes some batches of a project's unpublished events.
 * @throws UnavailableError of the bus, errors of the database; the lease is released or runs out
 */
export async function publishProject(
  scope: ProjectScope,
  committed: EventBuffer | undefined,
  options: TurnOptions,
): Promise<TurnEnd> {
  const { owner, historyMs } = options
  const taken = await takeLease(scope, owner, historyMs)
  if (taken === 'nothing to publish') return 'done'
  if (taken === 'held by another') return taken
  // Three times per lease, so that one slow statement does not lose it. Saving notices a lost lease.
  const renewing = setInterval(() => void renewLease(scope, owner).catch(() => {}), owner.leaseMs / 3)
  try {
    return await publishBatches(scope, committed, taken.published, options)
  } catch (error) {
    // If the database fails, the lease runs out by itself.
    await releaseLease(scope, owner).catch(() => {})
    throw error
  } finally {
    clearInterval(renewing)
  }
}

async function publishBatches(
  scope: ProjectScope,
  committed: EventBuffer | undefined,
  published: JournalCursor,
  { bus, owner, logger, onPublished, stopping }: TurnOptions,
): Promise<TurnEnd> {
  let position = published
  for (let batch = 1; ; batch += 1) {
    const next = await nextPlaces(scope, committed, position).catch(async (error: unknown) => {
      if (!(error instanceof JournalDiverged)) throw error
      const common = await goBack(scope, owner, position)
      logger.error(
        { projectId: scope.projectId, published: position, common },
        'DIVERGED: events were published that the journal does not have. Publishing continues after the last event that both have; look at what happened to the database',
      )
      return null
    })
    if (next === null) {
      await releaseLease(scope, owner)
      return 'other history'
    }
    const { places, last } = next
    await bus.publish(scope.projectId, places)
    onPublished(places)
    const keep = batch < TURN_BATCHES && !stopping.aborted
    // Only now that everything is acknowledged: a crash in between repeats the batch.
    const head = await savePublished(scope, owner, last, keep)
    if (head === null) return 'held by another'
    if (head === 'not in the journal') {
      // The bus delivered events that nobody will ever read. Listeners ask the journal, which continues from
      // the position.
      logger.warn(
        { projectId: scope.projectId, last },
        'events were published that the journal had lost; the events that it has now are published instead',
      )
      await releaseLease(scope, owner)
      return 'other history'
    }
    if (head <= last.sequence) return 'done'
    if (!keep) return 'behind'
    position = last
  }
}

/**
 * What follows `position`: from memory if it was committed here, else from the journal. For an event that
 * this version cannot read, or that was erased, only the envelope is published, and listeners look at the
 * journal.
 * @throws JournalDiverged if the journal does not have the position
 */
async function nextPlaces(
  scope: ProjectScope,
  committed: EventBuffer | undefined,
  position: JournalCursor,
): Promise<{ places: readonly PublishedEntry[]; last: JournalCursor }> {
  const known = committed?.following(position, BATCH_EVENTS) ?? []
  const newest = known.at(-1)
  if (newest !== undefined) return { places: known, last: newest }
  const records = await readFollowing(scope, position, BATCH_EVENTS)
  return { places: records.map(publishable), last: records.at(-1) ?? position }
}
