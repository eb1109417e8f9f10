import { DaybookClientError } from '@daybook/client/client-error'
import { follow } from '../api/client.ts'
import { type JournalEntry, readEntries, readHead, toEntry } from '../api/journal.ts'
import { isReplaced } from '../api/listen.ts'

/*
 * The journal as a list that grows at its end, without a gap, and is never longer than MOST_KEPT. Sequences have no gaps,
 * so how many events are not shown is a subtraction.
 *
 *   live ──pause──▶ paused: events wait beside the list ──resume──▶ live, with all of them
 *   live ──older events, and the list is full──▶ back: the newest leave the list ──to the newest──▶ live
 *   any ──the journal's end is another one──▶ live, with the newest read again
 *
 * Below, the stream goes on in each of them, and a lost connection resumes after the last event seen (`follow`).
 */

/** The most events that are kept, some 5 MB. Ten minutes of 50 events a second are three times as many. */
export const MOST_KEPT = 10_000

/** How many more may come before the oldest are dropped, so that not each event moves ten thousand. */
const SLACK = 500

/** Events at first, and in each further page. */
const FIRST_PAGE = 100
const PAGE = 500

/** More than that after a pause of the stream (the tab was in the background) are not followed one by one. */
const MOST_TO_CATCH_UP = 1_000

/** How often the screen is told at most, in milliseconds: 50 events a second are 5 renderings. */
const TELL_MS = 200

/** How long to wait before the head is asked for again, in milliseconds; the stream has waits of its own. */
const RETRY_MS = 2_000

/** What is on the screen. */
export interface TailState {
  /** The oldest first. It is changed in place: `revision` says when. */
  readonly entries: readonly JournalEntry[]
  readonly revision: number
  /** The last sequence known. */
  readonly head: number
  readonly mode: 'live' | 'paused' | 'back'
  readonly connection: 'connecting' | 'live' | 'lost'
  readonly loadingOlder: boolean
  /** Whether the journal's end was replaced by another since the page was opened; the list was read again then. */
  readonly replaced: boolean
  /** What does not pass by itself; null while all is well. */
  readonly failure: unknown
}

/** The journal, followed. */
export interface JournalTail {
  state(): TailState
  /** Connects, and goes on after what was seen. It ends with the signal. Call it again to go on. */
  run(signal: AbortSignal): Promise<void>
  pause(): void
  /** Shows what came meanwhile, or goes back to the newest. */
  resume(): void
  /** Reads a page before the oldest. If the list is full, the newest leave it. */
  loadOlder(): Promise<void>
}

/** How many events are newer than the list's last one. */
export const notShown = ({ entries, head }: TailState): number => head - (entries.at(-1)?.sequence ?? head)

/** Whether there are events before the list's first one. */
export const hasOlder = ({ entries }: TailState): boolean => (entries[0]?.sequence ?? 1) > 1

/** @param onChange something of the state is different; at most 5 times a second while events come */
export function createTail(onChange: () => void): JournalTail {
  let kept: JournalEntry[] = []
  /** Came while paused; null: not all of them are kept, so that resuming reads the newest again. */
  let waiting: JournalEntry[] | null = []
  let head = 0
  /** The place from which the stream goes on; null: the newest events are read first. */
  let seen: { readonly sequence: number; readonly hash: string | null } | null = null
  let mode: TailState['mode'] = 'live'
  let connection: TailState['connection'] = 'connecting'
  let loadingOlder = false
  let replaced = false
  let failure: unknown = null
  let revision = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const tell = () => {
    clearTimeout(timer)
    timer = undefined
    revision += 1
    onChange()
  }
  const tellSoon = () => {
    timer ??= setTimeout(tell, TELL_MS)
  }

  function take(entry: JournalEntry): void {
    seen = { sequence: entry.sequence, hash: entry.hash }
    head = entry.sequence
    if (mode === 'live') {
      kept.push(entry)
      if (kept.length > MOST_KEPT + SLACK) kept.splice(0, kept.length - MOST_KEPT)
    } else if (mode === 'paused' && waiting !== null) {
      waiting.push(entry)
      if (waiting.length > MOST_KEPT) waiting = null
    }
    tellSoon()
  }

  async function readNewest(signal?: AbortSignal): Promise<void> {
    head = await readHead(signal)
    kept = [...(await readEntries(Math.max(0, head - FIRST_PAGE), head, signal))]
    waiting = []
    mode = 'live'
    const newest = kept.at(-1)
    seen =
      newest === undefined ? { sequence: 0, hash: null } : { sequence: newest.sequence, hash: newest.hash }
  }

  async function catchUp(signal: AbortSignal): Promise<void> {
    if (seen === null) return readNewest(signal)
    head = await readHead(signal)
    if (head - seen.sequence <= MOST_TO_CATCH_UP) return
    if (mode === 'live') return readNewest(signal)
    waiting = null
    const [last] = await readEntries(head - 1, head, signal)
    if (last !== undefined) seen = { sequence: last.sequence, hash: last.hash }
  }

  let restart = new AbortController()

  async function streamOnce(signal: AbortSignal): Promise<void> {
    restart = new AbortController()
    const ended = AbortSignal.any([signal, restart.signal])
    await catchUp(signal)
    tell()
    const stream = follow({
      after: seen?.hash == null ? (seen?.sequence ?? 0) : { sequence: seen.sequence, hash: seen.hash },
      signal: ended,
      onConnection(lost) {
        connection = lost === null ? 'live' : 'lost'
        tell()
      },
    })
    for await (const event of stream) {
      if (ended.aborted) break
      take(toEntry(event))
    }
  }

  return {
    state: () => ({
      entries: kept,
      revision,
      head,
      mode,
      connection,
      loadingOlder,
      replaced,
      failure,
    }),
    async run(signal) {
      failure = null
      while (!signal.aborted) {
        try {
          await streamOnce(signal)
        } catch (error) {
          if (signal.aborted) return
          if (isReplaced(error)) {
            seen = null
            replaced = true
            continue
          }
          const passes = error instanceof DaybookClientError && error.retryable
          if (passes) connection = 'lost'
          else failure = error
          tell()
          if (!passes) return
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
        }
      }
    },
    pause() {
      if (mode !== 'live') return
      mode = 'paused'
      tell()
    },
    resume() {
      if (mode === 'paused' && waiting !== null) {
        kept.push(...waiting)
        kept.splice(0, Math.max(0, kept.length - MOST_KEPT))
        waiting = []
        mode = 'live'
        return tell()
      }
      seen = null
      restart.abort()
    },
    async loadOlder() {
      const oldest = kept[0]?.sequence ?? 1
      if (loadingOlder || oldest <= 1) return
      loadingOlder = true
      tell()
      try {
        // A list that is not full grows up to that; a full one moves by a whole page.
        const room = MOST_KEPT - kept.length
        const wanted = room > 0 ? Math.min(PAGE, room) : PAGE
        const older = await readEntries(Math.max(0, oldest - 1 - wanted), oldest - 1)
        // Meanwhile the list may have been read again.
        if (kept[0]?.sequence === oldest) {
          kept.unshift(...older)
          if (kept.length > MOST_KEPT) {
            kept.length = MOST_KEPT
            mode = 'back'
            waiting = []
          }
        }
      } catch (error) {
        failure = error
      } finally {
        loadingOlder = false
        tell()
      }
    },
  }
}
