import { readHead } from '@daybook/journal/read'
import { DaybookError, ValidationError } from '@daybook/memory/errors'
import { waitForPosition } from '@daybook/projection/position-signal'
import { readPosition } from '@daybook/projection/positions'
import { PGVECTOR } from '@daybook/read-model/generation-tables'
import type { Context } from './context.ts'

/** Longest wait for a sequence to become readable, in milliseconds. */
export const WAIT_MS = 5_000

/**
 * Reading your own writes: waits until the read model includes `atLeast`, at most 5 s.
 * @returns null once it does; else in words how far behind it is.
 * @throws ValidationError for a sequence that the journal has not reached: waiting for it would be in vain
 */
export async function waitAtLeast(
  context: Context,
  atLeast: number | null | undefined,
): Promise<string | null> {
  if (atLeast == null) return null
  if (atLeast < 0) throw new ValidationError('atLeast', 'must not be negative')
  const { generation } = await context.readModel()
  const place = { name: PGVECTOR, generation: generation.generation }
  const read = () => readPosition(context.project.db, place, context.project.projectId)
  if ((await read()) >= atLeast) return null
  const head = await readHead(context.project)
  if (atLeast > head)
    throw new ValidationError('atLeast', `is beyond the journal's last sequence, which is ${head}`)
  const position = await waitForPosition(read, atLeast, context.parts.signal, WAIT_MS)
  return position >= atLeast
    ? null
    : `the index is at sequence ${position}, behind the ${atLeast} asked for: try again in a moment`
}

/** The same for reads that have no other way to say that they are behind. @throws DaybookError BEHIND */
export async function requireAtLeast(context: Context, atLeast: number | null | undefined): Promise<void> {
  const behind = await waitAtLeast(context, atLeast)
  if (behind !== null) throw new DaybookError('BEHIND', behind)
}
