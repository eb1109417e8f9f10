import { versionKey } from '@daybook/journal/append/batch-context'
import { type ChainedEvent, createChainCheck } from '@daybook/journal/chain/check-chain'
import { readChain, readHash } from '@daybook/journal/chain/read-chain'
import { readKeys, toExported } from '@daybook/journal/export/export-journal'
import { readCheckedEnd, readEnd } from '@daybook/journal/read/read'
import { DaybookError, DivergedError } from '@daybook/memory/errors'
import type { JournalCursor } from '@daybook/memory/events'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { readFollowed } from '../follower/followed-projects.ts'
import { HEARTBEAT_MS } from '../wire/stream-line.ts'
import { readHomeState } from './home-state.ts'

/** News of a project's journal: `createJournalNews` of the gateway has them. */
export interface News {
  /** Take it before you read the journal. */
  mark(): number
  /** Resolves once there is news since the mark, or the signal is aborted. */
  since(mark: number, ended: AbortSignal): Promise<void>
}

/** What a stream needs. */
export interface StreamOptions {
  /** The last event that the follower has. */
  readonly after: JournalCursor
  readonly news: News
  readonly ended: AbortSignal
  /** Called with what was sent when it was: how far the follower may be. */
  readonly onSent: (sequence: number) => void
  /** Milliseconds between two lines while nothing happens. */
  readonly heartbeatMs?: number
}

const line = (value: object): string => `${JSON.stringify(value)}\n`

/** Events read at a time. */
const PAGE = 200

/**
 * The lines of a journal from a place on (`../wire/stream-line.ts`), without an end. Each event is checked against the
 * hash of the one before. A project that this Daybook follows itself is streamed as far as it is copied, without its
 * branch.
 * @throws DivergedError if the journal does not have the place (any more); DaybookError CORRUPT_JOURNAL
 */
export async function* streamJournal(
  scope: ProjectScope,
  { after, news, ended, onSent, heartbeatMs = HEARTBEAT_MS }: StreamOptions,
): AsyncGenerator<string, void> {
  if ((await readHash(scope, after.sequence)) !== after.hash) throw await diverged(scope, after.sequence)
  let said = ''
  const changedState = async (): Promise<string> => {
    const state = line({ state: await readHomeState(scope) })
    if (state === said) return ''
    said = state
    return state
  }
  // So that the follower knows from the beginning how much is to come.
  yield (await changedState()) + line({ head: await readOwnEnd(scope) })

  let chain = createChainCheck(after)
  for (;;) {
    const mark = news.mark()
    let sent = 0
    for (;;) {
      if (ended.aborted) return
      const { sequence, hash } = chain.place()
      const upTo = (await readFollowed(scope))?.copied.sequence ?? Number.MAX_SAFE_INTEGER
      const events = await readChain(scope, { after: sequence, upTo, limit: PAGE })
      if (events.length === 0) {
        if ((await readHash(scope, sequence)) !== hash) throw await diverged(scope, sequence)
        break
      }
      const text = await linesOf(scope, events, chain)
      if (text === null) {
        if ((await readHash(scope, sequence)) !== hash) throw await diverged(scope, sequence)
        throw corrupt(scope, sequence)
      }
      yield text
      sent += events.length
      onSent(chain.place().sequence)
      if (events.length < PAGE) break
    }
    const { sequence, hash } = chain.place()
    yield (sent > 0 ? '' : await changedState()) + line({ head: { sequence, hash } })
    onSent(sequence)
    chain = createChainCheck(chain.place())
    await untilNews(news, mark, ended, heartbeatMs)
    if (ended.aborted) return
  }
}

/** The end of what is streamed: the journal's, or where a copy of it has got. */
async function readOwnEnd(scope: ProjectScope): Promise<JournalCursor> {
  return (await readFollowed(scope))?.copied ?? (await readEnd(scope))
}

/** @returns null if the events do not follow */
async function linesOf(
  scope: ProjectScope,
  events: readonly ChainedEvent[],
  chain: ReturnType<typeof createChainCheck>,
): Promise<string | null> {
  const keys = await readKeys(scope, events)
  let text = ''
  for (const event of events) {
    if (chain.next(event).length > 0) return null
    text += line({ event: toExported(event, keys.get(versionKey(event.memoryId, event.version)) ?? []) })
  }
  return text
}

/** Also ends after a while without news, so that the follower hears that this home is there. */
async function untilNews(news: News, mark: number, ended: AbortSignal, heartbeatMs: number): Promise<void> {
  if (ended.aborted) return
  const waiting = new AbortController()
  const stop = () => waiting.abort()
  const timer = setTimeout(stop, heartbeatMs)
  ended.addEventListener('abort', stop, { once: true })
  await news.since(mark, waiting.signal)
  clearTimeout(timer)
  ended.removeEventListener('abort', stop)
}

async function diverged(scope: ProjectScope, sequence: number): Promise<DivergedError> {
  const { sequence: head, isCopy } = await readCheckedEnd(scope)
  return new DivergedError('Event', { sequence, head, lastCommon: null, isCopy })
}

function corrupt({ projectId }: ProjectScope, sequence: number): DaybookError {
  return new DaybookError(
    'CORRUPT_JOURNAL',
    `The journal of the project ${projectId} was changed after event ${sequence}, so it is not streamed: verify it at its home (daybook verify journal)`,
  )
}
