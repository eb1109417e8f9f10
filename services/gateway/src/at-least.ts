import { readHead } from '@daybook/journal/read/read'
import { DaybookError } from '@daybook/memory/errors'
import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import { waitForPosition } from '@daybook/projection/positions/position-signal'
import { readPosition } from '@daybook/projection/positions/positions'
import { isReplacedReceipt } from '@daybook/sync/branch/branch-receipts'
import type { Context } from './context.ts'
import { checkPlace, requirePlace } from './journal-place.ts'
import { waitForCopy } from './sync/wait-for-copy.ts'

/** The longest wait for a sequence to become readable, in milliseconds. */
export const WAIT_MS = 5_000

/**
 * Lets a client read its own writes: waits until the read model includes `atLeast`, at most 5 s; on a copy, also until it has
 * come from the home.
 * @returns null once it does; else how far behind it is, in words
 * @param hash the hash of the event at `atLeast`, from its receipt
 * @throws ValidationError; DivergedError if the journal has no such event, so that waiting would be in vain
 */
export async function waitAtLeast(
  context: Context,
  atLeast: number | null | undefined,
  hash: string | null | undefined,
): Promise<string | null> {
  const wanted = checkPlace('atLeast', atLeast, hash)
  if (wanted === null || atLeast == null) return null
  const deadline = Date.now() + WAIT_MS
  const { sequence, hash: named } = wanted
  // Written offline: the home's events have taken its place, and it stands further on.
  if (named !== null && (await isReplacedReceipt(context.project, { sequence, hash: named })))
    return waitAtLeast(context, await readHead(context.project), null)
  const notCopied = await waitForCopy(context.project, wanted, WAIT_MS)
  if (notCopied !== null) return notCopied
  await requirePlace(context.project, 'atLeast', wanted)
  const { generation } = await context.readModel()
  const place = { name: PGVECTOR, generation: generation.generation }
  const read = () => readPosition(context.project.db, place, context.project.projectId)
  if ((await read()) >= atLeast) return null
  const position = await waitForPosition(
    read,
    atLeast,
    context.parts.signal,
    Math.max(0, deadline - Date.now()),
  )
  return position >= atLeast
    ? null
    : `the index is at sequence ${position}, behind the ${atLeast} asked for: try again in a moment`
}

/** Like `waitAtLeast`, for reads that can report a delay only as an error. @throws DaybookError BEHIND */
export async function requireAtLeast(
  context: Context,
  atLeast: number | null | undefined,
  hash: string | null | undefined,
): Promise<void> {
  const behind = await waitAtLeast(context, atLeast, hash)
  if (behind !== null) throw new DaybookError('BEHIND', behind)
}
