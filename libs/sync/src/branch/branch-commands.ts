import { createHash } from 'node:crypto'
import type { AppendMetadata, AppendRequest } from '@daybook/journal/append/append-request'
import { canonicalJson } from '@daybook/memory/canonical-json'
import type { Command } from '@daybook/memory/commands'
import { decodeCommand } from '@daybook/memory/decode/decode-command'
import type { DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import type { Tables } from '@daybook/postgres/tables'
import { type Selectable, sql } from 'kysely'

/*
 * A branch: the commands that a follower was given while it could not reach the project's home, in order, gapless and each
 * hashed with the one before. Its events in the follower's journal are provisional: they are made from the commands, again
 * on each new end of the home's events. The commands are what lasts.
 */

/** A command that its home has not decided, or whose event has not arrived yet. */
export interface BranchCommand {
  readonly position: number
  /** With which it is sent: the caller's own, or one made for it. */
  readonly key: string
  /** As its caller gave it. */
  readonly command: Command
  readonly metadata: AppendMetadata
  /** The memory that it is about by now: the home may have found that a new memory is one that it has. */
  readonly memoryId: string
  /** The version of the memory that its writer saw; null: any will do. */
  readonly baseVersion: number | null
  /**
   * Whether its writer saw what the command before it of the same memory comes to. Not so where that one was put before it
   * afterwards, because a home lost it.
   */
  readonly restsOnPrevious: boolean
  /** Of the request that the key stands for, in hex, if the command was made from an event; else null. */
  readonly requestHash: string | null
  readonly givenAt: string
  /** The sequence that the home gave it; null while it waits. */
  readonly sequence: number | null
}

type Row = Selectable<Tables['branch_commands']>

/**
 * A command that was kept, as it is: `toRequest` decodes it, and so does the home. One that is none must not keep the others
 * from being read; it becomes a conflict when the home refuses it.
 */
export const storedCommand = ({ command }: { readonly command: unknown }): Command => command as Command

/** A row as a command. */
export const toBranchCommand = (row: Row): BranchCommand => ({
  position: row.position,
  key: row.idempotency_key,
  command: storedCommand(row),
  metadata: row.metadata,
  memoryId: row.memory_id,
  baseVersion: row.base_version,
  restsOnPrevious: row.rests_on_previous,
  requestHash: row.request_hash?.toString('hex') ?? null,
  givenAt: row.written_at,
  sequence: row.sequence,
})

/** The commands that the home has not decided, in order, at most `limit`. */
export async function readWaiting(db: Queryable, projectId: string, limit: number): Promise<BranchCommand[]> {
  const rows = await db
    .selectFrom('branch_commands')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('sequence', 'is', null)
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.map(toBranchCommand)
}

/** All commands of the branch whose events the copy does not have yet, in order. */
export async function readBranch(db: Queryable, projectId: string): Promise<BranchCommand[]> {
  const rows = await db
    .selectFrom('branch_commands')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('position')
    .execute()
  return rows.map(toBranchCommand)
}

/** A command before it has its place in the branch. It rests on the one before it unless it says otherwise. */
export type NewBranchCommand = Omit<BranchCommand, 'position' | 'sequence' | 'restsOnPrevious'> &
  Partial<Pick<BranchCommand, 'restsOnPrevious'>>

/** Puts commands at the end of the branch. The caller holds the project's lock. */
export async function addToBranch(
  trx: DatabaseTransaction,
  projectId: string,
  commands: readonly NewBranchCommand[],
): Promise<void> {
  if (commands.length === 0) return
  const end = await trx
    .selectFrom('followed_projects')
    .select(['branch_position', 'branch_hash'])
    .where('project_id', '=', projectId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  let hash = end.branch_hash
  const rows = commands.map((one, index) => {
    hash = hashCommand(hash, one)
    return {
      project_id: projectId,
      position: end.branch_position + index + 1,
      idempotency_key: one.key,
      memory_id: one.memoryId,
      command: JSON.stringify(one.command),
      metadata: JSON.stringify(one.metadata),
      base_version: one.baseVersion,
      rests_on_previous: one.restsOnPrevious ?? true,
      request_hash: one.requestHash === null ? null : Buffer.from(one.requestHash, 'hex'),
      written_at: one.givenAt,
      hash,
    }
  })
  await trx.insertInto('branch_commands').values(rows).execute()
  await trx
    .updateTable('followed_projects')
    .set({ branch_position: end.branch_position + rows.length, branch_hash: hash })
    .where('project_id', '=', projectId)
    .execute()
}

/** SHA-256 of the hash before and the command as given. What the home makes of it is not hashed. */
function hashCommand(previous: Buffer, { key, command, metadata, givenAt }: NewBranchCommand): Buffer {
  return createHash('sha256')
    .update(previous)
    .update(canonicalJson({ command, givenAt, key, metadata }))
    .digest()
}

/**
 * The command as it is decided: about the memory that it is about by now.
 * @param expecting whether another version than its writer saw is a conflict
 */
export function effectiveCommand(
  { command, memoryId, baseVersion }: Pick<BranchCommand, 'command' | 'memoryId' | 'baseVersion'>,
  expecting: boolean,
): Command {
  if (command.type === 'remember' || command.type === 'expire') return { ...command, id: memoryId }
  const { expectedVersion: _, ...rest } = command
  const expected = expecting && baseVersion !== null ? { expectedVersion: baseVersion } : {}
  return { ...rest, id: memoryId, ...expected } as Command
}

/** The command as a request to append, without a condition on the version. @throws ValidationError if it is none */
export function toRequest(one: NewBranchCommand): AppendRequest {
  return {
    command: decodeCommand(effectiveCommand(one, false)),
    given: one.command,
    givenAt: one.givenAt,
    ...(one.requestHash !== null && { requestHash: Buffer.from(one.requestHash, 'hex') }),
    metadata: one.metadata,
    idempotencyKey: one.key,
  }
}

/** What a branch holds. */
export interface BranchSize {
  /** Commands that wait for the home. */
  readonly waiting: number
  /** When the oldest of them was given; null if there is none. */
  readonly since: string | null
}

interface SizeRow {
  readonly waiting: number
  readonly since: string | null
}

/** How large a branch is. */
export async function readBranchSize(db: Queryable, projectId: string): Promise<BranchSize> {
  const { rows } = await sql<SizeRow>`
    select count(*) as waiting, min(written_at) as since from branch_commands
    where project_id = ${projectId} and sequence is null`.execute(db)
  return rows[0] ?? { waiting: 0, since: null }
}
