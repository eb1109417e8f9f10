import { DaybookError } from '@daybook/memory/errors'
import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import { parkedUpTo } from '@daybook/projection/apply/parked-events'
import { liveGeneration } from '@daybook/projection/generations/generations'
import { POSTGRES, projectionOf } from '@daybook/search/engine/engine-name'
import type { Context } from './context.ts'

/** The most parked events to name; the others are only counted. */
const NAMED = 3

/**
 * Finds the events up to `atLeast` that are parked in the projections that answered. A position moves past a
 * parked event, so a search that waited for `atLeast` still lacks it.
 * @returns one sentence per projection
 */
export async function parkedEventsUpTo(
  context: Context,
  atLeast: number | null | undefined,
  engine: string,
): Promise<string[]> {
  if (atLeast == null) return []
  const places = [{ name: PGVECTOR, generation: (await context.readModel()).generation.generation }]
  const name = projectionOf(engine)
  const other = engine === POSTGRES ? null : await liveGeneration(context.project.db, name)
  if (other !== null) places.push({ name, generation: other.generation })
  const found = await Promise.all(
    places.map(async (place) => ({ place, parked: await parkedUpTo(context.project, place, atLeast) })),
  )
  return found
    .filter(({ parked }) => parked.length > 0)
    .map(
      ({ place, parked }) =>
        `${named(parked)} up to the sequence asked for could not be applied to ${place.name} and ${parked.length === 1 ? 'is' : 'are'} parked, so this answer lacks what ${parked.length === 1 ? 'it says' : 'they say'}: \`daybook parked list\` shows why, \`daybook parked retry\` tries again`,
    )
}

/**
 * The same for a read of one memory, which can report this only as an error.
 * @throws DaybookError PARKED if an event of the memory, up to `atLeast`, is parked
 */
export async function requireNotParked(
  context: Context,
  memoryId: string,
  atLeast: number | null | undefined,
): Promise<void> {
  if (atLeast == null) return
  const place = { name: PGVECTOR, generation: (await context.readModel()).generation.generation }
  const parked = await parkedUpTo(context.project, place, atLeast, memoryId)
  if (parked.length > 0)
    throw new DaybookError(
      'PARKED',
      `${named(parked)} of this memory could not be applied and ${parked.length === 1 ? 'is' : 'are'} parked, so its state at sequence ${atLeast} cannot be read here: \`daybook parked list\` shows why, \`daybook parked retry\` tries again, and the journal has the event${parked.length === 1 ? '' : 's'}`,
    )
}

function named(sequences: readonly number[]): string {
  const first = sequences.slice(0, NAMED).join(', ')
  const more = sequences.length > NAMED ? ` and ${sequences.length - NAMED} more` : ''
  return `${sequences.length === 1 ? 'the event' : 'the events'} ${first}${more}`
}
