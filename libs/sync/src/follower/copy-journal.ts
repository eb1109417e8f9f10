import { createChainCheck } from '@daybook/journal/chain/check-chain'
import { readHash } from '@daybook/journal/chain/read-chain'
import type { ImportedEvent } from '@daybook/journal/import/check-project'
import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import type { CommittedEvent, JournalCursor } from '@daybook/memory/events'
import { READER_VERSION } from '@daybook/postgres/compatibility'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { pause } from '@daybook/runtime/backoff'
import { MOST_PLACES, placeAnswered } from '../home/home-state.ts'
import type { HomeState, StreamLine } from '../wire/stream-line.ts'
import { fromWire } from '../wire/wire-error.ts'
import { applyHomeEvents, applyHomeState } from './apply-home-events.ts'
import type { VectorFetcher } from './fetch-vectors.ts'
import { noteHeard, readFollowed, updateFollowed } from './followed-projects.ts'
import type { HomeClient } from './home-client.ts'
import { HomeRefused } from './state-after.ts'

/**
 * Each time that a branch is made again, everybody else gets the database for so many times as long, and at most so many
 * milliseconds. Without that a projector never came through where a home's events came one by one on a branch of 300 commands: each
 * of its batches was replaced before it was written.
 */
const OTHERS_SHARE = 2

const OTHERS_MOST_MS = 2_000

/** What copying needs. */
interface CopyOptions {
  readonly home: HomeClient
  readonly signal: AbortSignal
  readonly onCommitted: (projectId: string, events: readonly CommittedEvent[]) => void
  /** Called with how many of the home's events were added. */
  readonly onCopied: (events: number) => void
  /** Fetches vectors; null: the local model makes all of them. */
  readonly vectors: VectorFetcher | null
  /** Called when the home has said how far it is. @param here whether everything is here */
  readonly onConnected: (here: boolean) => void
}

/**
 * Copies a project's journal from its home, from where the copy is, until the signal is aborted or the home breaks off.
 * Each event is checked against the hash of the one before it. What comes together is written together.
 * @throws UnavailableError if the home breaks off; DaybookError DIVERGED if it does not have what is here; HomeRefused
 */
export async function copyJournal(scope: ProjectScope, options: CopyOptions): Promise<void> {
  const { home, signal, onCommitted, onCopied, onConnected, vectors } = options
  const followed = await readFollowed(scope)
  if (followed === null) return
  let { copied, movedTo } = followed
  let chain = createChainCheck(copied)
  let epoch = await readEpoch(scope)
  // History is no news for listeners of the bus; what comes once everything is here is.
  let live = false
  const write = async (lines: readonly StreamLine[]): Promise<void> => {
    const place = chain.place()
    const events = lines.flatMap((line) => ('event' in line ? [checked(chain, scope, line)] : []))
    for (const event of events) {
      if ((event.epoch ?? 1) < epoch) throw tooOld(event.epoch ?? 1, epoch)
      epoch = event.epoch ?? 1
    }
    const began = performance.now()
    let rebased = false
    try {
      const applied = await applyHomeEvents(scope, events, { live })
      rebased = applied.rebased
      if (applied.events.length > 0) onCommitted(scope.projectId, applied.events)
    } catch (error) {
      // So that a caller that goes on after this error checks the same events again.
      chain = createChainCheck(place)
      throw error
    }
    copied = chain.place()
    onCopied(events.length)
    // What is new is embedded here as soon as at the home, which has no vectors of it yet.
    if (!live) vectors?.of(events)
    if (rebased) await pause(Math.min(OTHERS_MOST_MS, OTHERS_SHARE * (performance.now() - began)), signal)
  }

  const queue = queueLines(home.stream(copied, signal), signal)
  for (;;) {
    const lines = await queue.next()
    if (signal.aborted) return
    if (lines === null) throw new UnavailableError('the home ended its stream')
    const [first] = lines
    if (first === undefined) continue
    if ('event' in first) await write(lines)
    else if ('error' in first) throw fromWire(first.error)
    else if ('state' in first) {
      checkState(first.state, epoch)
      await applyHomeState(scope, first.state)
      if (first.state.movedTo !== movedTo) {
        movedTo = first.state.movedTo
        await updateFollowed(scope, { movedTo })
      }
    } else {
      const here = isHere(copied, first.head)
      if (here) live = true
      await noteHeard(scope, { state: here ? 'CONNECTED' : 'COPYING', homeSequence: first.head.sequence })
      onConnected(here)
    }
  }
}

const isHere = (copied: JournalCursor, head: JournalCursor): boolean =>
  copied.sequence === head.sequence && copied.hash === head.hash

/** @throws HomeRefused */
function checkState({ epoch, minimumReader }: HomeState, here: number): void {
  if (minimumReader > READER_VERSION)
    throw new HomeRefused(
      `the home's journal needs a reader of version ${minimumReader}, and this Daybook reads as version ${READER_VERSION}: upgrade it`,
    )
  if (epoch < here) throw tooOld(epoch, here)
}

const tooOld = (epoch: number, here: number) =>
  new HomeRefused(
    `the home is in epoch ${epoch} of the journal, and this copy is in epoch ${here} already: another Daybook has become the home since. Follow that one`,
  )

function checked(
  chain: ReturnType<typeof createChainCheck>,
  { projectId }: ProjectScope,
  { event: exported, size }: Extract<StreamLine, { readonly event: unknown }>,
): ImportedEvent {
  const { hash: previous } = chain.place()
  const { idempotencyKeys: keys, ...fields } = exported
  const event = { ...fields, projectId }
  const [problem] = chain.next(event)
  if (problem !== undefined)
    throw new DaybookError(
      'DIVERGED',
      `the home's events do not follow those that are here: ${problem.message}`,
    )
  return { ...event, previous, keys, size }
}

async function readEpoch({ db, projectId }: ProjectScope): Promise<number> {
  const head = await db
    .selectFrom('journal_heads')
    .select('epoch')
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return head.epoch
}

/**
 * The last event that the copy and the home have in common. Two journals that agree on a hash agree on everything before
 * it, so a few questions about ever closer places find it: four for a million events.
 */
export async function findCommon(
  scope: ProjectScope,
  home: HomeClient,
  copied: JournalCursor,
): Promise<number> {
  let [has, hasNot] = [0, copied.sequence + 1]
  while (hasNot - has > 1) {
    const step = Math.max(1, Math.ceil((hasNot - has - 1) / MOST_PLACES))
    const places: JournalCursor[] = []
    for (let sequence = has + step; sequence < hasNot; sequence += step) {
      const hash = await readHash(scope, sequence)
      if (hash !== null) places.push({ sequence, hash })
    }
    const { common } = await home.ask('common', { places }, placeAnswered)
    if (common !== null && !places.some(({ sequence }) => sequence === common))
      throw new UnavailableError('the home answered with a place that it was not asked about')
    const next = places.find(({ sequence }) => sequence > (common ?? has))
    has = common ?? has
    hasNot = Math.min(hasNot, next?.sequence ?? hasNot)
    if (next === undefined && step === 1) break
    if (next === undefined && common === null) break
  }
  return has
}

/** Lines that are read ahead while earlier ones are being written. */
interface LineQueue {
  /**
   * What has come: events up to a limit, or one other line. Waits for the first. A `head` between two events is left out: the
   * one after them says more.
   * @returns null at the end of the stream, or when it is ended
   * @throws the stream's error, after everything before it
   */
  next(): Promise<readonly StreamLine[] | null>
}

/** Lines read ahead at most, and the characters in them, but for one line. */
const AHEAD = { lines: 4_000, characters: 8 * 1024 * 1024 }

/**
 * The most events given out together, and the most characters in them. A follower's embedded database serves its projection in between:
 * 500 events made 3,700 a second, 1,000 make 5,200 to 5,500, in transactions of .2 s.
 */
const MOST = { events: 1_000, characters: 4 * 1024 * 1024 }

/** Reads the lines of a stream, as far ahead as `AHEAD`. @param ended ends the stream, too */
export function queueLines(lines: AsyncGenerator<StreamLine, void>, ended: AbortSignal): LineQueue {
  const waiting: StreamLine[] = []
  let characters = 0
  let end: { readonly error: unknown } | 'over' | null = null
  let wakeReader: (() => void) | null = null
  let wakeTaker: (() => void) | null = null
  const read = async (): Promise<void> => {
    try {
      for await (const line of lines) {
        waiting.push(line)
        characters += line.size
        wakeTaker?.()
        if ((waiting.length >= AHEAD.lines || characters >= AHEAD.characters) && !ended.aborted)
          await new Promise<void>((resolve) => (wakeReader = resolve))
      }
      end = 'over'
    } catch (error) {
      end = { error }
    }
    wakeTaker?.()
  }
  void read()
  const wakeBoth = () => {
    wakeReader?.()
    wakeTaker?.()
  }
  ended.addEventListener('abort', wakeBoth, { once: true })
  return {
    async next() {
      while (waiting.length === 0) {
        if (ended.aborted) return null
        if (end === 'over') return null
        if (end !== null) throw end.error
        await new Promise<void>((resolve) => (wakeTaker = resolve))
      }
      const taken = takeTogether(waiting)
      characters = waiting.reduce((all, { size }) => all + size, 0)
      wakeReader?.()
      return taken
    },
  }
}

function takeTogether(waiting: StreamLine[]): StreamLine[] {
  const events: StreamLine[] = []
  let size = 0
  let count = 0
  for (const [index, line] of waiting.entries()) {
    if ('head' in line && events.length > 0) continue
    if (!('event' in line)) break
    size += line.size
    if (events.length > 0 && (events.length >= MOST.events || size > MOST.characters)) break
    events.push(line)
    count = index + 1
  }
  const taken = waiting.splice(0, Math.max(1, count))
  return events.length > 0 ? events : taken
}

/**
 * Waits until the copy has an event of the home's, or follows it no more.
 * @param mostMs milliseconds after which it waits no longer. Default: as long as it takes
 */
export async function untilCopied(
  scope: ProjectScope,
  sequence: number,
  {
    mostMs = Number.POSITIVE_INFINITY,
    signal,
  }: { readonly mostMs?: number; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const end = performance.now() + mostMs
  let waitMs = 2
  while (performance.now() < end) {
    const followed = await readFollowed(scope)
    if (followed === null || followed.copied.sequence >= sequence) return
    await pause(waitMs, signal)
    if (signal?.aborted === true) return
    waitMs = Math.min(50, waitMs * 2)
  }
}
