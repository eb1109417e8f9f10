import { CHAIN_START } from '@daybook/memory/event-hash'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { isErased } from './chain-events.ts'
import {
  type ChainCursor,
  createChainCheck,
  headDiffers,
  type JournalProblem,
  missing,
} from './check-chain.ts'
import { type ChainEnd, readChain, readChainEnd, readHash } from './read-chain.ts'
import { checkWitness, readWitnesses } from './witnesses.ts'

export interface VerifyOptions {
  /** Where to begin: the end of an earlier run, or a hash noted elsewhere. The event there must still have that hash. @default the beginning */
  readonly from?: ChainCursor
  /** A place that was noted before, where the journal's keeper cannot reach it. The event there must still have that hash. @default none */
  readonly noted?: ChainCursor | undefined
  /** Hears of each problem in the order of the journal; waited for. */
  readonly onProblem?: (problem: JournalProblem) => void | Promise<void>
  /** Hears after each page how far it is, and of the sequence that it goes to; waited for. A later run may begin at the place. */
  readonly onProgress?: (place: ChainCursor, upTo: number) => void | Promise<void>
  /** Ends the run between two pages. */
  readonly signal?: AbortSignal
  /** Events read at a time, one short statement each. @default 200 */
  readonly pageEvents?: number
}

/** What a run found. Noted where the journal's keeper cannot reach it, `sequence` and `hash` prove more than the journal itself: see `verifyJournal`. */
export interface VerifiedJournal extends ChainCursor {
  /** Events that were looked at in this run. */
  readonly events: number
  /** Of those, the ones whose data was erased. Their places and origins are proved, and that they were there. */
  readonly erased: number
  readonly problems: number
}

/**
 * Checks a project's journal against its hash chain, up to the end that it has when the run begins: that no event is missing,
 * that each is what its hash was made of, that each follows on the one before, and that the head is the last one's. Appends go
 * on meanwhile. It holds one page in memory whatever the journal's length.
 *
 * What that proves: an event that was changed, removed, inserted or moved by somebody who did not also make all hashes after it
 * anew is found. An event without data and salt counts as erased and is told of by number: that it was erased rightly, hashes
 * cannot say. Found too is a journal that was cut off at its end together with its head, where a projection had applied what is
 * gone or the relay had published it (`witnesses.ts`). Somebody who may write all tables and makes them anew is found only by a
 * hash that was noted elsewhere before (`noted`).
 *
 * @throws the signal's reason; errors of the database
 */
export async function verifyJournal(
  scope: ProjectScope,
  { from, noted, onProblem, onProgress, signal, pageEvents = 200 }: VerifyOptions = {},
): Promise<VerifiedJournal> {
  let problems = 0
  const report = async (found: readonly JournalProblem[]) => {
    problems += found.length
    for (const problem of found) await onProblem?.(problem)
  }
  // Before the end is read, so that what they say was committed by then.
  const witnesses = await readWitnesses(scope)
  const end = await readChainEnd(scope)
  const { sequence, hash: begun } = from ?? { sequence: 0, hash: CHAIN_START }
  const stored = await readHash(scope, sequence)
  await report(checkStart(sequence, begun, stored))
  const chain = createChainCheck({ sequence, hash: stored ?? begun })
  let events = 0
  let erased = 0
  for (;;) {
    signal?.throwIfAborted()
    const after = chain.place().sequence
    const page = await readChain(scope, { after, upTo: end.sequence, limit: pageEvents })
    if (page.length === 0) break
    for (const event of page) await report(chain.next(event))
    erased += page.filter(isErased).length
    events += page.length
    await onProgress?.(chain.place(), end.sequence)
  }
  const last = chain.place()
  if (last.sequence < end.sequence) await report([missing(last.sequence + 1, end.sequence)])
  await report(checkHead(last, end))
  if (noted !== undefined)
    await report(await checkWitness(scope, end, { ...noted, name: 'what was noted of it' }))
  for (const witness of witnesses) await report(await checkWitness(scope, end, witness))
  return { ...last, events, erased, problems }
}

function checkStart(sequence: number, noted: string, stored: string | null): JournalProblem[] {
  if (stored === null) return [missing(sequence, sequence)]
  if (stored === noted) return []
  const message = `event ${sequence}: its hash is another one than was noted: the journal up to it was changed`
  return [headDiffers(sequence, message)]
}

function checkHead(last: ChainCursor, end: ChainEnd): JournalProblem[] {
  const { sequence } = end
  if (end.lastEvent > sequence)
    return [
      headDiffers(sequence, `the journal is noted to end at ${sequence}, and goes on to ${end.lastEvent}`),
    ]
  if (last.sequence !== sequence || last.hash === end.hash) return []
  return [headDiffers(sequence, `the hash noted for the journal's end is not that of event ${sequence}`)]
}
