import { type AppendOutcome, type AppendRequest, FollowedError } from '@daybook/journal/append/append-request'
import { readContext } from '@daybook/journal/append/batch-context'
import { decideBatch } from '@daybook/journal/append/decide-batch'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import type { Erasure } from '@daybook/journal/erase/erase-contents'
import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import type { CommittedEvent, EventMetadata } from '@daybook/memory/events'
import { newId } from '@daybook/memory/id'
import type { MemoryState } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { pause } from '@daybook/runtime/backoff'
import { z } from 'zod'
import { appendToBranch, type KeyedRequest } from '../branch/append-to-branch.ts'
import { readBranchSize } from '../branch/branch-commands.ts'
import type { Decided, Receipt, SentCommand } from '../wire/sent-command.ts'
import { fromWire } from '../wire/wire-error.ts'
import { untilCopied } from './copy-journal.ts'
import { type Followed, readFollowed, updateFollowed } from './followed-projects.ts'
import type { HomeClient, HomeOf } from './home-client.ts'
import { stateAfter } from './state-after.ts'

/** What the writer needs besides the journal's. */
interface RouteOptions {
  /** A client of a project's home. */
  readonly homeOf: HomeOf
  /** Receives provisional events after their commit. */
  readonly onCommitted: (projectId: string, events: readonly CommittedEvent[]) => void
}

/** Milliseconds to wait until what the home has accepted is here too, before the caller hears of it. */
const HERE_MS = 1_000

/** The same for an erasure. */
const ERASED_MS = 10_000

/**
 * The same writer, for projects of this Daybook and for those that follow another one, their home:
 *
 *   own project ──▶ journal
 *   followed, home connected, branch empty ──▶ home ──(its stream)──▶ here; the receipt is the home's
 *   followed, otherwise ──▶ branch; the receipt is provisional
 *
 * A request that the home may have got, but did not answer, goes into the branch under the same key, so it takes effect
 * once. While anything waits in the branch, what comes later goes there too, so that the order stays.
 */
export function routeToHomes(writer: JournalWriter, { homeOf, onCommitted }: RouteOptions): JournalWriter {
  /** Projects that followed a home when they were last written to. Others are written first and asked afterwards. */
  const following = new Set<string>()

  const followedOf = async (scope: ProjectScope): Promise<Followed | null> => {
    const followed = await readFollowed(scope)
    if (followed === null) following.delete(scope.projectId)
    else following.add(scope.projectId)
    return followed
  }

  const branch = async (scope: ProjectScope, requests: readonly KeyedRequest[]) => {
    try {
      const { outcomes, events } = await appendToBranch(scope, requests)
      if (events.length > 0) onCommitted(scope.projectId, events)
      return outcomes
    } catch (error) {
      // This Daybook may have become the home since it looked. The keys stay: the former home may have got the requests too.
      const isHome = error instanceof DaybookError && error.code === 'IMPORT_CONFLICT'
      if (!isHome || (await followedOf(scope)) !== null) throw error
      return writer.appendMany(scope, requests)
    }
  }

  const throughHome = async (
    scope: ProjectScope,
    followed: Followed,
    requests: readonly AppendRequest[],
  ): Promise<readonly AppendOutcome[]> => {
    const keyed = requests.map((request) => ({
      ...request,
      idempotencyKey: request.idempotencyKey ?? `${followed.followerId}:${newId()}`,
    }))
    if (followed.state === 'REFUSED') throw refused(followed)
    if (requests.some(({ onlyAtHome }) => onlyAtHome === true)) return passOn(homeOf, followed, keyed)
    if (!(await isOpen(scope, followed))) return branch(scope, keyed)
    let decided: readonly Decided[]
    try {
      decided = await homeOf(followed).decide(keyed.map(toSent))
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      // The next requests need not wait for the same answer.
      await updateFollowed(scope, stateAfter(error))
      const outcomes = await branch(scope, keyed)
      return outcomes.map((outcome, index) =>
        'error' in outcome ? { error: maybeAccepted(outcome.error, requests[index]) } : outcome,
      )
    }
    const sequences = decided.flatMap((one) => ('receipt' in one ? [one.receipt.sequence] : []))
    await untilCopied(scope, Math.max(0, ...sequences), { mostMs: HERE_MS })
    return outcomesOf(scope, keyed, decided)
  }

  const appendMany: JournalWriter['appendMany'] = async (scope, requests) => {
    if (!following.has(scope.projectId))
      try {
        return await writer.appendMany(scope, requests)
      } catch (error) {
        if (!(error instanceof FollowedError)) throw error
      }
    const followed = await followedOf(scope)
    if (followed === null) return writer.appendMany(scope, requests)
    return throughHome(scope, followed, requests)
  }

  return {
    ...writer,
    appendMany,
    async erase(scope, memoryIds, metadata) {
      if (!following.has(scope.projectId))
        try {
          return await writer.erase(scope, memoryIds, metadata)
        } catch (error) {
          if (!(error instanceof FollowedError)) throw error
        }
      const followed = await followedOf(scope)
      if (followed === null) return writer.erase(scope, memoryIds, metadata)
      const erasure = await eraseAtHome(homeOf(followed), memoryIds, metadata)
      await untilCopied(scope, erasure.events.at(-1)?.sequence ?? 0, { mostMs: ERASED_MS })
      return erasure
    },
  }
}

/**
 * Has the home decide what another follower sent here. Its sender keeps it until then, so it never goes into the branch: a
 * provisional receipt would look like the home's there.
 * @throws UnavailableError if the home does not answer, or is just moving: two that wait for each other would go round
 */
async function passOn(
  homeOf: HomeOf,
  followed: Followed,
  requests: readonly KeyedRequest[],
): Promise<readonly AppendOutcome[]> {
  if (followed.takingEpoch !== null)
    throw new UnavailableError('The project is just moving to another home: try again in a moment')
  return (await homeOf(followed).decide(requests.map(toSent))).map(toPassedOn)
}

/** Whether the home decides now: it answers, and nothing that came before waits for it. */
async function isOpen({ db, projectId }: ProjectScope, followed: Followed): Promise<boolean> {
  const { state, paused, takingEpoch } = followed
  if (paused || takingEpoch !== null || (state !== 'CONNECTED' && state !== 'COPYING')) return false
  // The home is taking the branch: what comes now waits for that, or under steady writes the branch would never be empty.
  const end = performance.now() + HERE_MS
  for (let waitMs = 2; performance.now() < end; waitMs = Math.min(50, waitMs * 2)) {
    if ((await readBranchSize(db, projectId)).waiting === 0) return true
    await pause(waitMs)
  }
  return false
}

function refused({ problem, home }: Followed): DaybookError {
  return new DaybookError(
    'FORBIDDEN',
    `The home of this project, ${home.url}, refuses this Daybook, so nothing can be written here: ${problem ?? 'its key is not valid there'}. Give it another key: daybook sync repoint`,
  )
}

/** Refused on what is here, of a request that the home may have got and accepted: it knows more. */
function maybeAccepted(cause: Error, request: AppendRequest | undefined): DaybookError {
  const why = `The home of the project did not answer, so it is not known whether it accepted this. What is here says: ${cause.message}.`
  return request?.idempotencyKey == null
    ? new DaybookError('OUTCOME_UNKNOWN', `${why} Look before you repeat it`, { cause })
    : new UnavailableError(`${why} Ask again with the same idempotency key: it takes effect once`, { cause })
}

function toSent(request: KeyedRequest): SentCommand {
  const { command, given, givenAt, requestHash, idempotencyKey, metadata } = request
  const { correlationId, causationId, writer } = metadata
  return {
    key: idempotencyKey,
    command,
    ...(given !== undefined && { given }),
    ...(givenAt !== undefined && { givenAt }),
    ...(requestHash !== undefined && { requestHash: requestHash.toString('hex') }),
    correlationId,
    causationId,
    ...(writer?.agent !== undefined && { agent: writer.agent }),
    ...(writer?.client !== undefined && { client: writer.client }),
  }
}

/** Only a receipt is made of it, so it has no more of the memory than that. */
function toPassedOn(decided: Decided): AppendOutcome {
  if ('error' in decided) return { error: fromWire(decided.error) }
  const { memoryId, version, sequence, hash, written, duplicate } = decided.receipt
  const state = { id: memoryId } as MemoryState
  return { appended: { memory: { state, version, sequence, hash }, written, event: null, duplicate } }
}

const erased = z.object({
  events: z.array(z.looseObject({ sequence: z.int32(), hash: z.string() })),
  contents: z.int32(),
  missing: z.array(z.string()),
})

/** @throws UnavailableError if the home does not answer; what it refuses */
async function eraseAtHome(
  home: HomeClient,
  memoryIds: readonly string[],
  { correlationId, causationId }: EventMetadata,
): Promise<Erasure> {
  return home.ask('erase', { memoryIds, correlationId, causationId }, erased).catch((error: unknown) => {
    if (!(error instanceof UnavailableError)) throw error
    throw new UnavailableError(
      `An erasure is for good and everywhere, so the home of the project has to do it: ${error.message}. Try again when it can be reached`,
      { cause: error },
    )
  })
}

/** Nothing that is decided here is written: the receipts say where it stands. */
const NOWHERE = { sequence: 0, hash: '0'.repeat(64), epoch: 1 }

/**
 * What requests came to that the home has decided. A home says where the outcome of a request is, and not what it holds: that is
 * read from the copy, where the request's key says which version it led to. What has not been copied yet is decided here once
 * more, on what is here.
 */
async function outcomesOf(
  { db, projectId }: ProjectScope,
  requests: readonly AppendRequest[],
  decided: readonly Decided[],
): Promise<readonly AppendOutcome[]> {
  const accepted = requests.filter((_, index) => 'receipt' in (decided[index] as Decided))
  const context = await readContext(db, projectId, accepted)
  const now = new Date().toISOString()
  const { outcomes } = decideBatch(accepted, context, { projectId, head: NOWHERE, now })
  const found = outcomes.values()
  return decided.map((one): AppendOutcome => {
    if ('error' in one) return { error: fromWire(one.error) }
    const outcome = found.next().value as AppendOutcome
    return 'error' in outcome
      ? { error: notHere(one.receipt, outcome.error) }
      : withReceipt(outcome, one.receipt)
  })
}

function withReceipt(
  { appended: { memory } }: Extract<AppendOutcome, { readonly appended: unknown }>,
  { memoryId, version, sequence, hash, written, duplicate }: Receipt,
): AppendOutcome {
  // The home may have found that the new memory is one that it has.
  const state = { ...memory.state, id: memoryId }
  return { appended: { memory: { state, version, sequence, hash }, written, event: null, duplicate } }
}

function notHere({ sequence }: Receipt, cause: Error): Error {
  return cause instanceof DaybookError
    ? new UnavailableError(
        `The home of the project has accepted this as event ${sequence}, which is not here yet: look again in a moment (daybook sync status)`,
        { cause },
      )
    : cause
}
