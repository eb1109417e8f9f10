import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/size-in-words'
import { pause } from '@daybook/runtime/backoff'
import { CliError } from '../cli-error.ts'
import { type Projection, readProjections } from '../client/projections.ts'
import { EXIT } from '../exit-codes.ts'
import type { Progress } from '../progress/render-progress.ts'
import type { Connection } from '../settings.ts'

/** Waiting ends after this long without progress, in milliseconds. A model takes seconds to load. */
const STALL_MS = 60_000
const POLL_MS = 300

interface Waiting {
  readonly connection: Connection
  readonly sequence: number
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/**
 * Waits until every index includes the sequence and all memories have their vectors.
 * @returns false if the signal ended the waiting
 * @throws CliError NOT_SEARCHABLE if nothing moves any more; it says how far the index is
 */
export async function waitUntilSearchable(given: Waiting): Promise<boolean> {
  const { connection, sequence, signal, onProgress } = given
  let state = ''
  let mostPending = 0
  let movedAt = performance.now()
  while (!signal.aborted) {
    const projections = await readProjections(connection)
    const open = projections.filter(
      ({ position, pendingEmbeddings }) => position < sequence || pendingEmbeddings > 0,
    )
    if (open.length === 0) return true
    const now = open.map((one) => describe(one, sequence)).join('; ')
    if (now !== state) movedAt = performance.now()
    else if (performance.now() - movedAt > STALL_MS)
      throw new CliError(EXIT.failed, 'NOT_SEARCHABLE', `The index does not come further: ${now}.`, [
        'Everything is in the journal, and nothing is lost. Look at:  daybook status',
        'With DAYBOOK_EMBEDDER=none there are no vectors to wait for: import without --wait.',
      ])
    state = now
    const [first] = open
    mostPending = Math.max(mostPending, first?.pendingEmbeddings ?? 0)
    if (first !== undefined) onProgress(progressOf(first, sequence, mostPending))
    await pause(POLL_MS, signal)
  }
  return false
}

function describe({ name, position, pendingEmbeddings }: Projection, sequence: number): string {
  return position < sequence
    ? `${name} is at sequence ${grouped(position)} of ${grouped(sequence)}`
    : `${name} has ${grouped(pendingEmbeddings)} memories without vectors`
}

/**
 * The index's progress first, then the vectors', which come later.
 * @param mostPending the most memories that lacked vectors
 */
function progressOf(
  { name, position, pendingEmbeddings }: Projection,
  sequence: number,
  mostPending: number,
): Progress {
  const work = `waiting for ${safeLine(name)}`
  return position < sequence
    ? { work, phase: 'indexing', done: position, total: sequence }
    : { work, phase: 'vectors', done: mostPending - pendingEmbeddings, total: mostPending }
}
