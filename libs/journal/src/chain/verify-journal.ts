import { CHAIN_START } from '@daybook/memory/event-hash'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import {
  type ChainCursor,
  createChainCheck,
  headDiffers,
  isErased,
  type JournalProblem,
  missing,
} from './check-chain.ts'
import { type ChainEnd, readChain, readChainEnd, readHash } from './read-chain.ts'
import { checkWitness, readWitnesses } from './witnesses.ts'

/** The options of `verifyJournal`. */
export interface VerifyOptions {
  /**
   * Where to begin: the end of an earlier run, or a hash noted elsewhere. The event there must still have
   * that hash.
   * @default the beginning
   */
  readonly from?: ChainCursor
  /**
   * A cursor that was noted earlier, out of reach of whoever keeps the journal. The event there must still
   * have that hash.
   * @default none
   */
  readonly noted?: ChainCursor | undefined
  /** Called with each problem in journal order, and awaited. */
  readonly onProblem?: (problem: JournalProblem) => void | Promise<void>
  /**
   * Called after each page with the place reached and the last sequence to check, and awaited. A later run
   * may begin at that place.
   */
  readonly onProgress?: (place: ChainCursor, upTo: number) => void | Promise<void>
  /** Ends the run between two pages. */
  readonly signal?: AbortSignal
  /** Events read at a time, one short statement each. @default 200 */
  readonly pageEvents?: number
}

/**
 * What a run found. If `sequence` and `hash` are noted out of reach of whoever keeps the journal, they prove
 * more than the journal itself (see `verifyJournal`).
 */
interface VerifiedJournal extends ChainCursor {
  /** How many events this run checked. */
  readonly events: number
  /** How many of those are erased. Their existence, places and origins are proved. */
  readonly erased: number
  readonly problems: number
}

/**
 * Checks a project's journal against its hash chain, up to its end when the run begins: no event is missing,
 * each matches its hash, each follows the one before, and the head is the last event. Appends continue
 * meanwhile. Only one page of events is in memory.
 *
 * What that proves: it finds an event that was changed, removed, inserted or moved, unless all later hashes
 * were recomputed too. An event without data and salt counts as erased and is reported by number; hashes
 * cannot say whether erasing it was right. It also finds a journal that was cut off together with its head,
 * if a projection had applied the lost events or the relay had published them (`witnesses.ts`). If somebody
 * may write all tables and recomputes everything, only a hash that was noted elsewhere before (`noted`) shows
 * it.
 *
 * In a project that follows a home, what came from there is checked; what was written offline is provisional and proves nothing.
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
  const copied = await readCopied(scope)
  // Read before the end is, so that what the witnesses name was committed by then. In a copy they may have seen what was replaced.
  const witnesses = copied === null ? await readWitnesses(scope) : []
  const end = copied ?? (await readChainEnd(scope))
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

/** How far a copy has its home's events; null for a journal that is no copy. */
async function readCopied({ db, projectId }: ProjectScope): Promise<ChainEnd | null> {
  const row = await db
    .selectFrom('followed_projects')
    .select(['copied', 'copied_hash'])
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  if (row === undefined) return null
  return { sequence: row.copied, hash: row.copied_hash.toString('hex'), lastEvent: row.copied }
}

function checkStart(sequence: number, noted: string, stored: string | null): JournalProblem[] {
  if (stored === null) return [missing(sequence, sequence)]
  if (stored === noted) return []
  const message = `event ${sequence}: its hash is not the one that was noted: the journal up to it was changed`
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

/**
 * Checks a stretch of a project's journal against its hash chain: after `after`, up to `upTo`. The stretch
 * must exist. It is read in one go, so keep it short; `verifyJournal` checks a whole journal.
 */
export async function verifyPart(
  scope: ProjectScope,
  after: number,
  upTo: number,
): Promise<JournalProblem[]> {
  const hash = await readHash(scope, after)
  if (hash === null) return [missing(after, after)]
  const chain = createChainCheck({ sequence: after, hash })
  const problems: JournalProblem[] = []
  for (const event of await readChain(scope, { after, upTo, limit: upTo - after }))
    problems.push(...chain.next(event))
  const last = chain.place().sequence
  return last < upTo ? [...problems, missing(last + 1, upTo)] : problems
}
