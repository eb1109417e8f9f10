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
 * How a turn ended: everything published, more to publish, or somebody else at it. Or the journal has not what was published, or
 * was to be: what is known of the project from memory is no use, and the journal is to be read.
 */
export type TurnEnd = 'done' | 'behind' | 'held by another' | 'other history'

/** Events published before the position is saved: what a crash repeats at most. */
const BATCH_EVENTS = 500
/** Batches of a project in one turn, so that a long backlog does not keep the others waiting. */
const TURN_BATCHES = 4

/**
 * Publishes what is unpublished of a project, some batches of it.
 * @throws UnavailableError of the bus, errors of the database; the lease is given up, or lapses
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
  // A third of the time, so that one slow statement does not lose it. Whether it was lost is found when saving.
  const renewing = setInterval(() => void renewLease(scope, owner).catch(() => {}), owner.leaseMs / 3)
  try {
    return await publishBatches(scope, committed, taken.published, options)
  } catch (error) {
    // Where the database fails, the lease lapses by itself.
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
        'DIVERGED: events were published that the journal does not have. What follows on the last one that it has is published; look at what happened to the database',
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
    // Only now, when everything is acknowledged: a crash in between repeats the batch.
    const head = await savePublished(scope, owner, last, keep)
    if (head === null) return 'held by another'
    if (head === 'not in the journal') {
      // The bus brought what nobody will ever read. Who hears of it asks the journal, which goes on from the position.
      logger.warn(
        { projectId: scope.projectId, last },
        'events were published that the journal lost before; those that it has are published in their place',
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
 * What follows on `position`: from memory as far as it was committed here, else from the journal. An event that this version cannot
 * read, or that was erased, is told by its place: who hears of it looks at the journal.
 * @throws JournalDiverged where the journal does not have the position
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
