import type { JournalWriter } from '@daybook/journal/append/journal-writer'
import { type DueMemory, readDueMemories, readNextExpiry } from '@daybook/pgvector/read/due-memories'
import { liveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { Database } from '@daybook/postgres/connect'
import type { LeaseOwner } from '@daybook/postgres/lease'
import { projectScope } from '@daybook/postgres/project-scope'
import { releaseExpiryLease, takeExpiryLease } from './lease.ts'

/** What one look needs. */
export interface ExpireOptions {
  /** Bound to no project. */
  readonly db: Database
  readonly writer: JournalWriter
  readonly owner: LeaseOwner
  readonly signal: AbortSignal
}

/** What one look did. */
export interface ExpiredNow {
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
export async function expireDue({ db, writer, owner, signal }: ExpireOptions): Promise<ExpiredNow> {
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
