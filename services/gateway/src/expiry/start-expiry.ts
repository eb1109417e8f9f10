import { hostname } from 'node:os'
import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import { UnavailableError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import { liveReadModel } from '@daybook/pgvector/read/live-read-model'
import { type DueMemory, readDueMemories, readNextExpiry } from '@daybook/pgvector/read/read-memories'
import type { Database } from '@daybook/postgres/connect'
import { isFree, isLeaseOver, type LeaseOwner, leasedTo, RELEASED } from '@daybook/postgres/lease'
import { projectScope } from '@daybook/postgres/project-scope'
import type { Logger } from '@daybook/runtime/logger'
import { type Activity, ALWAYS_ACTIVE, startLoop } from '@daybook/runtime/loop'
import { sql } from 'kysely'

/** The expiry of memories, at work. */
interface Expiry {
  /** Says that a memory expires at this moment (RFC 3339), so that nobody has to look for it. */
  note(expiresAt: string): void
  stop(): Promise<void>
}

/** The parts of the expiry. */
interface ExpiryOptions {
  /** Bound to no project. */
  readonly db: Database
  readonly writer: JournalWriter
  readonly logger: Logger
  readonly activity?: Activity | undefined
  /** Milliseconds between looks. Default 10,000: the longest delay of what another process wrote. */
  readonly lookMs?: number
}

/** A lease is renewed with each page of memories. One takes much less than 30 s. */
const LEASE_MS = 30_000

/** Milliseconds that what was just written needs to be readable. */
const SLACK_MS = 50

/**
 * Forgets memories when their `expiresAt` has passed, with an event. It looks for the next one, and sleeps until
 * then. While nobody uses the process it looks as rarely as everything else, but does not miss that moment.
 * Searches leave out what has expired from its moment on, also if the event comes late.
 */
export function startExpiry({
  db,
  writer,
  logger,
  activity = ALWAYS_ACTIVE,
  lookMs = 10_000,
}: ExpiryOptions): Expiry {
  const owner: LeaseOwner = { name: `${hostname()} ${process.pid} ${newId()}`, leaseMs: LEASE_MS }
  const look = async (signal: AbortSignal): Promise<void> => {
    const { expired, nextMs } = await expireDue({ db, writer, owner, signal })
    if (expired > 0) {
      activity.touch()
      logger.info({ expired }, 'memories have expired')
    }
    if (nextMs !== null) looking.wake(nextMs + SLACK_MS)
  }
  const looking = startLoop(look, {
    everyMs: lookMs,
    activity,
    onError: (error) => {
      // Before the first start of a projector, and while the read model is rebuilt.
      if (!(error instanceof UnavailableError))
        logger.warn({ error }, 'expired memories could not be looked for; trying again')
    },
  })
  return {
    note: (expiresAt) => looking.wake(Date.parse(expiresAt) - Date.now() + SLACK_MS),
    stop: looking.stop,
  }
}

/** What one look needs. */
interface ExpireOptions {
  /** Bound to no project. */
  readonly db: Database
  readonly writer: JournalWriter
  readonly owner: LeaseOwner
  readonly signal: AbortSignal
}

/** What one look did. */
interface ExpiredNow {
  /** How many memories got the event. */
  readonly expired: number
  /** Milliseconds until the next one is due; null if none will be, as far as is known. */
  readonly nextMs: number | null
}

/** Memories expired together. */
const PAGE = 500

/** Daybook itself expires them, and nobody asked for it. */
const METADATA = { actor: null, correlationId: null, causationId: null }

/**
 * Expires what is due, unless another process is at it, and says when the next is due. The read model only
 * proposes: the journal decides, so a memory that was revised or expired meanwhile stays as it is.
 */
async function expireDue({ db, writer, owner, signal }: ExpireOptions): Promise<ExpiredNow> {
  const { tables } = await liveReadModel(db)
  let expired = 0
  let due = await readDueMemories(db, tables, { after: null, limit: PAGE })
  if (due.length > 0 && (await takeExpiryLease(db, owner)))
    try {
      while (due.length > 0 && !signal.aborted) {
        expired += await expire(db, writer, due)
        due = await readDueMemories(db, tables, { after: due.at(-1) ?? null, limit: PAGE })
        if (due.length > 0 && !(await takeExpiryLease(db, owner))) break
      }
    } finally {
      await releaseExpiryLease(db, owner)
    }
  return { expired, nextMs: await readNextExpiry(db, tables) }
}

/** @returns how many got the event; others are behind in the read model, or cannot be read */
async function expire(db: Database, writer: JournalWriter, due: readonly DueMemory[]): Promise<number> {
  const projects = new Map<string, DueMemory[]>()
  for (const one of due) projects.set(one.projectId, [...(projects.get(one.projectId) ?? []), one])
  let expired = 0
  for (const [projectId, memories] of projects) {
    const outcomes = await writer.appendMany(
      projectScope(db, projectId),
      memories.map(({ memoryId }) => ({ command: { type: 'expire', id: memoryId }, metadata: METADATA })),
    )
    expired += outcomes.filter((one) => 'appended' in one && one.appended.written !== null).length
  }
  return expired
}

/**
 * Takes or renews the lease of expiry, so that one of several gateways does the work.
 * @returns whether this owner has it now
 */
async function takeExpiryLease(db: Database, owner: LeaseOwner): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update expiry_lease l set ${leasedTo(owner)}
    where ${isFree('l')} or l.lease_owner = ${owner.name}`.execute(db)
  return numAffectedRows === 1n
}

/** Releases the lease if this owner has it. */
async function releaseExpiryLease(db: Database, { name }: LeaseOwner): Promise<void> {
  await sql`update expiry_lease set ${RELEASED} where lease_owner = ${name} and not ${isLeaseOver(sql`leased_until`)}`.execute(
    db,
  )
}
