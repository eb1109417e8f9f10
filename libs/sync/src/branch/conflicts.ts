import type { AppendMetadata } from '@daybook/journal/append/append-request'
import { lockProject, readContext } from '@daybook/journal/append/batch-context'
import { decideCommand } from '@daybook/journal/append/decide-batch'
import { appendOne, type JournalWriter } from '@daybook/journal/append/journal-writer'
import type { Command } from '@daybook/memory/commands'
import { decodeCommand } from '@daybook/memory/decode/decode-command'
import { diffStates, type StateDiff } from '@daybook/memory/diff-versions'
import { DaybookError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import type { DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import { storableError } from '@daybook/postgres/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Tables } from '@daybook/postgres/tables'
import { type Selectable, sql } from 'kysely'
import { readFollowed } from '../follower/followed-projects.ts'
import type { WireError } from '../wire/wire-error.ts'
import {
  addToBranch,
  type BranchCommand,
  effectiveCommand,
  type NewBranchCommand,
  storedCommand,
  toRequest,
} from './branch-commands.ts'

/**
 * How a conflict ended: the follower's change was made on top of the other one by the rule (`LATEST_WINS`), a person had it
 * made (`MINE`), or left it out (`THEIRS`).
 */
export type Resolution = 'LATEST_WINS' | 'MINE' | 'THEIRS'

/** A command of a branch that its home refused, or decided on another version than its writer saw. */
export interface SyncConflict {
  readonly id: string
  readonly projectId: string
  readonly memoryId: string
  readonly command: Command
  readonly metadata: AppendMetadata
  /** The version that its writer saw; null if there was none. */
  readonly baseVersion: number | null
  /** The version that the home had; null if the conflict is not about a version. */
  readonly homeVersion: number | null
  /** The code of the home's error. */
  readonly code: string
  /** The home's words. */
  readonly problem: string
  readonly givenAt: string
  readonly foundAt: string
  /** Null while a person has to decide. */
  readonly resolution: Resolution | null
  readonly resolvedAt: string | null
  readonly resolvedBy: string | null
}

type Row = Selectable<Tables['sync_conflicts']>

const toConflict = (row: Row): SyncConflict => ({
  id: row.id,
  projectId: row.project_id,
  memoryId: row.memory_id,
  command: storedCommand(row),
  metadata: row.metadata,
  baseVersion: row.base_version,
  homeVersion: row.home_version,
  code: row.code,
  problem: row.problem,
  givenAt: row.written_at,
  foundAt: row.found_at,
  resolution: row.resolution,
  resolvedAt: row.resolved_at,
  resolvedBy: row.resolved_by,
})

/** Notes a conflict; one of the same command that was noted before is replaced. */
export async function noteConflict(
  trx: DatabaseTransaction,
  projectId: string,
  one: Omit<BranchCommand, 'restsOnPrevious'>,
  error: WireError,
  resolution: Resolution | null,
): Promise<void> {
  const found = {
    memory_id: one.memoryId,
    command: JSON.stringify(one.command),
    metadata: JSON.stringify(one.metadata),
    base_version: one.baseVersion,
    home_version: error.currentVersion ?? null,
    code: error.code,
    problem: storableError(error.message),
    resolution,
    resolved_at: resolution === null ? null : sql<string>`clock_timestamp()`,
    resolved_by: null,
  }
  await trx
    .insertInto('sync_conflicts')
    .values({
      id: newId(),
      project_id: projectId,
      idempotency_key: one.key,
      written_at: one.givenAt,
      ...found,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'idempotency_key']).doUpdateSet(found))
    .execute()
}

/** What a page of conflicts is about. */
interface ConflictPage {
  /** Also those that are resolved. */
  readonly resolved: boolean
  readonly limit: number
  /** The last one of the page before: an id. */
  readonly after?: string | null
}

/** The conflicts of a project, the oldest first. */
export async function listConflicts(
  { db, projectId }: ProjectScope,
  { resolved, limit, after = null }: ConflictPage,
): Promise<SyncConflict[]> {
  const rows = await db
    .selectFrom('sync_conflicts')
    .selectAll()
    .where('project_id', '=', projectId)
    .$if(!resolved, (query) => query.where('resolved_at', 'is', null))
    .$if(after !== null, (query) => query.where('id', '>', after as string))
    // Ids are UUIDs of version 7, in the order of their time.
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toConflict)
}

/** How many conflicts wait for a person. */
export async function countOpenConflicts(db: Queryable, projectId: string): Promise<number> {
  const { open } = await db
    .selectFrom('sync_conflicts')
    .select((of) => of.fn.countAll<number>().as('open'))
    .where('project_id', '=', projectId)
    .where('resolved_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(open)
}

/**
 * Resolves a conflict. `MINE` puts the command at the end of the branch again, whatever version the home has by then. If this
 * Daybook has become the home since, it is decided here, and the conflict stays if it is refused again.
 * @param by the name of the key that decides
 * @returns the conflict; null if there is none that waits
 * @throws what the writer does
 */
export async function resolveConflict(
  scope: ProjectScope,
  writer: Pick<JournalWriter, 'appendMany'>,
  id: string,
  resolution: 'MINE' | 'THEIRS',
  by: string,
): Promise<SyncConflict | null> {
  const { db, projectId } = scope
  const found = await db
    .selectFrom('sync_conflicts')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .where('resolved_at', 'is', null)
    .executeTakeFirst()
  if (found === undefined) return null
  const again = commandOf(found)
  const follows = (await readFollowed(scope)) !== null
  if (resolution === 'MINE' && !follows) await appendOne(writer, scope, toRequest(again))
  return db.transaction().execute(async (trx) => {
    await lockProject(trx, projectId, follows ? 'copy' : 'own')
    const row = await trx
      .updateTable('sync_conflicts')
      .set({ resolution, resolved_at: sql<string>`clock_timestamp()`, resolved_by: by })
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .where('resolved_at', 'is', null)
      .returningAll()
      .executeTakeFirst()
    if (row === undefined) return null
    if (resolution === 'MINE' && follows) await addToBranch(trx, projectId, [again])
    return toConflict(row)
  })
}

const commandOf = (row: Row): NewBranchCommand => ({
  key: row.idempotency_key,
  command: storedCommand(row),
  metadata: row.metadata,
  memoryId: row.memory_id,
  baseVersion: null,
  requestHash: null,
  givenAt: row.written_at,
})

/**
 * What a conflict's command would change in its memory as it is here now, so what `MINE` comes to if nothing happens until
 * then. It writes nothing.
 * @returns null if it would be refused or make a new memory
 */
export async function previewConflict(
  { db, projectId }: ProjectScope,
  conflict: SyncConflict,
): Promise<StateDiff | null> {
  const { command: given, memoryId, metadata, givenAt: now } = conflict
  try {
    const command = decodeCommand(effectiveCommand({ command: given, memoryId, baseVersion: null }, false))
    const context = await readContext(db, projectId, [{ command, metadata }])
    // The moment only dates the event, and says whether an expiry has passed: when it was given is as good as now.
    const { before, events } = decideCommand(context, command, now)
    if (before === null) return null
    const event = events.findLast(({ memoryId: of }) => of === before.state.id)
    return diffStates(before.state, event?.data.state ?? before.state)
  } catch (error) {
    if (error instanceof DaybookError) return null
    throw error
  }
}
