import type { JournalEvent } from '@daybook/memory/events'
import type { Database } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { EVENT_COLUMNS, type JournalRecord, readable, toRecord } from './stored-event.ts'

/** A project's journal from `after` (exclusive) on, in sequence order, at most `limit` places. */
export async function readJournal(
  { db, projectId }: ProjectScope,
  { after, limit }: { after: number; limit: number },
): Promise<JournalRecord[]> {
  const rows = await db
    .selectFrom('events')
    .select(EVENT_COLUMNS)
    .where('project_id', '=', projectId)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute()
  return rows.map(toRecord)
}

/** One memory's events, oldest first, from the version after `afterVersion` on. */
export async function readMemoryEvents(
  { db, projectId }: ProjectScope,
  memoryId: string,
  { afterVersion = 0, limit }: { afterVersion?: number; limit: number },
): Promise<JournalEvent[]> {
  const rows = await db
    .selectFrom('events')
    .select(EVENT_COLUMNS)
    .where('project_id', '=', projectId)
    .where('memory_id', '=', memoryId)
    .where('version', '>', afterVersion)
    .orderBy('version')
    .limit(limit)
    .execute()
  return rows.map((row) => readable(toRecord(row)))
}

/** The last sequence of a project's journal; 0 while it is empty. */
export async function readHead({ db, projectId }: ProjectScope): Promise<number> {
  const row = await db
    .selectFrom('journal_heads')
    .select('sequence')
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row?.sequence ?? 0
}

/** The events of all projects together, from one row a project. */
export async function countEvents(db: Database): Promise<number> {
  const row = await db
    .selectFrom('journal_heads')
    .select((eb) => eb.fn.sum<number | null>('sequence').as('events'))
    .executeTakeFirstOrThrow()
  return Number(row.events ?? 0)
}
