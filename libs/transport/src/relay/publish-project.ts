import { JournalDiverged } from '@daybook/journal/chain/check-chain'
import { readCheckedEnd, readFollowing } from '@daybook/journal/read/read'
import { publishable } from '@daybook/journal/read/stored-event'
import type { JournalCursor } from '@daybook/memory/events'
import type { LeaseOwner } from '@daybook/postgres/lease'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Logger } from '@daybook/runtime/logger'
import type { Bus, PublishedEntry } from '../bus.ts'
import type { EventBuffer } from '../event-buffer.ts'
import type { KeptLease, KeptLeases } from './kept-leases.ts'
import { goBack } from './relay-positions.ts'

/** What a turn needs besides its project. */
export interface TurnOptions {
  readonly bus: Bus
  readonly leases: KeptLeases
  readonly owner: LeaseOwner
  readonly logger: Logger
  readonly onPublished: (places: readonly PublishedEntry[]) => void
  readonly stopping: AbortSignal
}

/**
 * How a turn ended: everything that is known is published, more is left to publish, or another relay has the
 * lease. `other history`: the journal does not have what was published. What memory holds of the project is
 * useless then, and the journal must be read.
 */
export type TurnEnd = 'done' | 'behind' | 'held by another' | 'other history'

/** Events published at a time. */
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
  const { leases } = options
  const lease = await leases.take(scope)
  if (lease === 'nothing to publish') return 'done'
  if (lease === 'held by another') return lease
  try {
    const end = await publishBatches(lease, committed, options)
    await (end === 'other history' ? leases.drop(lease) : leases.endTurn(lease))
    return end
  } catch (error) {
    await leases.release(lease).catch(() => {})
    throw error
  }
}

async function publishBatches(
  lease: KeptLease,
  committed: EventBuffer | undefined,
  { bus, leases, owner, logger, onPublished, stopping }: TurnOptions,
): Promise<TurnEnd> {
  const { scope } = lease
  for (let batch = 0; batch < TURN_BATCHES; batch += 1) {
    const { published } = lease
    const next = await nextPlaces(scope, committed, published).catch(async (error: unknown) => {
      if (!(error instanceof JournalDiverged)) throw error
      const common = await goBack(scope, owner, published)
      logger[(await readCheckedEnd(scope)).isCopy ? 'debug' : 'error'](
        { projectId: scope.projectId, published, common },
        'DIVERGED: events were published that the journal does not have. Publishing continues after the last event that both have; look at what happened to the database',
      )
      return null
    })
    if (next === null) return 'other history'
    // In memory there was a later event, and the journal had another process's before it.
    if (next.hadGap) leases.noteShared(scope.projectId)
    if (next.places.length === 0) return 'done'
    await bus.publish(scope.projectId, next.places)
    onPublished(next.places)
    lease.published = next.last
    if (lease.lost) return 'held by another'
    if (!next.isMore) return 'done'
    if (stopping.aborted) break
  }
  return 'behind'
}

interface NextPlaces {
  readonly places: readonly PublishedEntry[]
  readonly last: JournalCursor
  /** Whether more is known to follow. */
  readonly isMore: boolean
  /** Whether memory had a later event, but not the next one. */
  readonly hadGap: boolean
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
): Promise<NextPlaces> {
  const isLater = (sequence: number) => committed?.hasAfter(sequence) === true
  const known = committed?.following(position, BATCH_EVENTS) ?? []
  const newest = known.at(-1)
  if (newest !== undefined)
    return { places: known, last: newest, isMore: isLater(newest.sequence), hadGap: false }
  const hadGap = isLater(position.sequence)
  const records = await readFollowing(scope, position, BATCH_EVENTS)
  const last = records.at(-1) ?? position
  const isMore = records.length === BATCH_EVENTS || isLater(last.sequence)
  return { places: records.map(publishable), last, isMore, hadGap }
}
