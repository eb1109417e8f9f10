import { DaybookError } from '@daybook/memory/errors'
import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import { waitForPosition } from '@daybook/projection/positions/position-signal'
import { readPosition } from '@daybook/projection/positions/positions'
import type { Context } from './context.ts'
import { checkPlace, requirePlace } from './journal-place.ts'

/** Longest wait for a sequence to become readable, in milliseconds. */
export const WAIT_MS = 5_000

/**
 * Reading your own writes: waits until the read model includes `atLeast`, at most 5 s.
 * @returns null once it does; else in words how far behind it is.
 * @param hash of the event at `atLeast`, from its receipt
 * @throws ValidationError; DivergedError where the journal has no such event: waiting for it would be in vain
 */
export async function waitAtLeast(
  context: Context,
  atLeast: number | null | undefined,
  hash: string | null | undefined,
): Promise<string | null> {
  const wanted = checkPlace('atLeast', atLeast, hash)
  if (wanted === null || atLeast == null) return null
  await requirePlace(context.project, 'atLeast', wanted)
  const { generation } = await context.readModel()
  const place = { name: PGVECTOR, generation: generation.generation }
  const read = () => readPosition(context.project.db, place, context.project.projectId)
  if ((await read()) >= atLeast) return null
  const position = await waitForPosition(read, atLeast, context.parts.signal, WAIT_MS)
  return position >= atLeast
    ? null
    : `the index is at sequence ${position}, behind the ${atLeast} asked for: try again in a moment`
}

/** The same for reads that have no other way to say that they are behind. @throws DaybookError BEHIND */
export async function requireAtLeast(
  context: Context,
  atLeast: number | null | undefined,
  hash: string | null | undefined,
): Promise<void> {
  const behind = await waitAtLeast(context, atLeast, hash)
  if (behind !== null) throw new DaybookError('BEHIND', behind)
}
