import { readHash } from '@daybook/journal/chain/read-chain'
import { readEnd, sequenceAt } from '@daybook/journal/read/read'
import type { JournalRecord } from '@daybook/journal/read/stored-event'
import { DaybookError } from '@daybook/memory/errors'
import type { JournalCursor } from '@daybook/memory/events'
import { parseMemoryId } from '@daybook/memory/id'
import type { Memory } from '@daybook/memory/state'
import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import { isWithheld, isWithheldWriter, type Withheld } from '@daybook/pgvector/read/access'
import { type PastMoment, readMemories, readMemoryAsOf } from '@daybook/pgvector/read/read-memories'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { readSoundPlace, type SoundPlace } from '@daybook/projection/positions/divergence'
import { waitForPosition } from '@daybook/projection/positions/positions'
import { isReplacedReceipt } from '@daybook/sync/branch/append-to-branch'
import type { Context } from './context.ts'
import { checkPlace, type NamedPlace, requirePlace } from './journal-page.ts'
import { waitForCopy } from './sync/wait-for-copy.ts'

/** Like `findMemory`, of several at once, in the order of the ids. */
export async function findMemories(context: Context, ids: readonly string[]): Promise<(Memory | null)[]> {
  const refs = ids.map(parseMemoryId)
  const uuids = [...new Set(refs.flatMap((ref) => (ref === null ? [] : [ref.uuid])))]
  const { tables } = await context.readModel()
  const found = await readMemories(context.project, tables, uuids)
  context.parts.access.touch(context.project, [...found.keys()])
  return refs.map((ref) => {
    const memory = ref === null ? undefined : found.get(ref.uuid)
    return memory === undefined || (ref?.kind != null && memory.state.kind !== ref.kind) ? null : memory
  })
}

/**
 * A memory by id in both spellings, counted as read; null where there is none, whatever the string. A forgotten one says so itself.
 * @param past reads it as it was. Default: as it is
 */
export async function findMemory(context: Context, id: string, past: PastMoment | null = null) {
  const ref = parseMemoryId(id)
  if (ref === null) return null
  const { tables } = await context.readModel()
  const memory =
    past === null
      ? ((await readMemories(context.project, tables, [ref.uuid])).get(ref.uuid) ?? null)
      : await readMemoryAsOf(context.project, tables, ref.uuid, past)
  if (memory === null || (ref.kind !== null && memory.state.kind !== ref.kind)) return null
  context.parts.access.touch(context.project, [ref.uuid])
  return memory
}

/** How the API describes the argument `asOf`. */
export const AS_OF =
  'What was true at this moment, by the times at which the journal recorded its events: with what has been forgotten or revised since, without what has been remembered since. A moment in the future means now. Before the first event there is nothing.'

/**
 * Finds the place in the journal of a moment that a client asks for.
 * @returns null for the present: no moment is given, or one in the future
 */
export async function pastMoment(
  { project }: Context,
  asOf: string | null | undefined,
): Promise<PastMoment | null> {
  if (asOf == null || Date.parse(asOf) >= Date.now()) return null
  return { sequence: await sequenceAt(project, asOf), moment: asOf }
}

/** The longest wait for a sequence to become readable, in milliseconds, unless the gateway's parts say another. */
const WAIT_MS = 5_000

/** What a wait came to. */
interface Waited {
  /** Null if the read model includes the place; else how far behind it is, in words. */
  readonly behind: string | null
  /** How far the read model is, if it may go back to before that: on a copy. Else null. */
  readonly reached: JournalCursor | null
}

/** What a read asks for. */
interface WaitRequest {
  readonly atLeast?: number | null | undefined
  /** The hash of the event at `atLeast`, from its receipt. */
  readonly atLeastHash?: string | null | undefined
}

/** What of a context is needed to wait. */
type WaitContext = Pick<Context, 'project' | 'readModel'> & {
  readonly parts: Pick<Context['parts'], 'signal' | 'waitMs'>
}

/**
 * Lets a client read its own writes: waits until the read model includes `atLeast`, at most 5 s; on a copy, also until it has
 * come from the home. Then it reads. On a copy, the home's events may take a branch's place in between, and the read model
 * goes back to before them for a moment: what was read then is read again.
 *
 * @param read gets null, or how far behind the read model is, in words
 * @throws ValidationError; DivergedError if the journal has no such event, so that waiting would be in vain
 */
export async function readAtLeast<T>(
  context: WaitContext,
  { atLeast, atLeastHash }: WaitRequest,
  read: (behind: string | null) => Promise<T>,
): Promise<T> {
  const wanted = checkPlace('atLeast', atLeast, atLeastHash)
  if (wanted === null) return read(null)
  const deadline = Date.now() + (context.parts.waitMs?.() ?? WAIT_MS)
  for (;;) {
    const { behind, reached } = await waitFor(context, wanted, deadline)
    const answer = await read(behind)
    if (reached === null || behind !== null || (await hasEvent(context.project, reached))) return answer
    if (Date.now() >= deadline) return read(REPLACED)
  }
}

/** Waits as `readAtLeast` does. @returns null once the read model includes `atLeast`; else how far behind it is, in words */
export const waitAtLeast = (
  context: WaitContext,
  atLeast: number | null | undefined,
  atLeastHash: string | null | undefined,
): Promise<string | null> =>
  readAtLeast(context, { atLeast, atLeastHash }, (behind) => Promise.resolve(behind))

/** Like `waitAtLeast`, for reads that can report a delay only as an error. @throws DaybookError BEHIND */
export async function requireAtLeast(
  context: WaitContext,
  atLeast: number | null | undefined,
  hash: string | null | undefined,
): Promise<void> {
  refuseBehind(await waitAtLeast(context, atLeast, hash))
}

/** @throws DaybookError BEHIND unless it is null */
export function refuseBehind(behind: string | null): void {
  if (behind !== null) throw new DaybookError('BEHIND', behind)
}

const REPLACED = 'the journal’s end is being replaced by what comes from its home: try again in a moment'

const hasEvent = async (project: ProjectScope, { sequence, hash }: JournalCursor): Promise<boolean> =>
  (await readHash(project, sequence)) === hash

async function waitFor(context: WaitContext, wanted: NamedPlace, deadline: number): Promise<Waited> {
  const { project } = context
  const { sequence, hash } = wanted
  for (;;) {
    // Written offline: the home's events have taken its place, and it stands further on, before the journal's end.
    const isReplaced = hash !== null && (await isReplacedReceipt(project, { sequence, hash }))
    const place = isReplaced ? await readEnd(project) : wanted
    if (!isReplaced) {
      const notCopied = await waitForCopy(project, wanted, Math.max(0, deadline - Date.now()))
      if (notCopied !== null) return { behind: notCopied, reached: null }
      try {
        await requirePlace(project, 'atLeast', wanted)
      } catch (error) {
        // It was replaced just now.
        if (hash !== null && (await isReplacedReceipt(project, { sequence, hash }))) continue
        throw error
      }
    }
    const waited = await waitForIndex(context, place.sequence, deadline)
    // What was reached may follow another event at that place, because it was replaced meanwhile.
    if (waited.behind !== null || waited.reached === null || place.hash === null) return waited
    if (await hasEvent(project, { sequence: place.sequence, hash: place.hash })) return waited
    if (Date.now() >= deadline) return { behind: REPLACED, reached: null }
  }
}

/** Waits until the read model is at a sequence. */
async function waitForIndex(
  { project, readModel, parts }: WaitContext,
  sequence: number,
  deadline: number,
): Promise<Waited> {
  const { generation } = await readModel()
  let place: SoundPlace | null = null
  const read = async () => {
    place = await readSoundPlace(project, { name: PGVECTOR, generation: generation.generation })
    return place
  }
  place = await read()
  if (place === null || place.sequence < sequence)
    await waitForPosition(
      async () => (await read())?.sequence ?? -1,
      sequence,
      parts.signal,
      Math.max(0, deadline - Date.now()),
    )
  if (place !== null && place.sequence >= sequence)
    return { behind: null, reached: place.isCopy ? place : null }
  const where =
    place === null ? 'goes back to what came from the project’s home' : `is at sequence ${place.sequence}`
  return {
    behind: `the index ${where}, behind the ${sequence} asked for: try again in a moment`,
    reached: null,
  }
}

/** An event as clients get it. */
export type ShownRecord = JournalRecord & {
  /**
   * Whether its content is withheld, because its writer or an author of the state after it is in quarantine. Its place
   * and hash are shown, so that whoever follows the journal misses no event.
   */
  readonly withheld?: boolean
}

/** Says of an event whether its content is withheld. */
export function showRecord(withheld: Withheld, record: JournalRecord): ShownRecord {
  if (record.event === null) return record
  const { writer, state } = record.event.data
  const hidden = (writer !== undefined && isWithheldWriter(withheld, writer)) || isWithheld(withheld, state)
  return hidden ? { ...record, withheld: true } : record
}
