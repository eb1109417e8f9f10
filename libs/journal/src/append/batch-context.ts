import type { Command } from '@daybook/memory/commands'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { type SqlBool, sql } from 'kysely'
import { EVENT_COLUMNS, type JournalRecord, toRecord } from '../read/stored-event.ts'
import type { AppendRequest, RecordedMemory } from './append-request.ts'

/** A use of an idempotency key: its request, and the version of the memory that resulted. */
export interface KeyUse {
  /** Null if the resulting event was erased. */
  readonly hash: Buffer | null
  readonly memoryId: string
  readonly version: number
}

/**
 * A memory as the journal has it; null if it was erased; or the error that keeps its event from being read.
 * Such an error fails the requests about this memory, not the whole batch.
 */
export type Found = RecordedMemory | Error | null

/**
 * What the decisions of a batch depend on, read under the project's lock. Each decision adds its event's
 * result.
 */
export interface BatchContext {
  /** Newest state by memory id: of the commands' memories, and of those behind reused idempotency keys. */
  readonly memories: Map<string, Found>
  /** Older states by `versionKey`, for restores and for results to repeat. */
  readonly versions: Map<string, Found>
  readonly keyUses: Map<string, KeyUse>
}

/** The key of `BatchContext.versions`. */
export const versionKey = (memoryId: string, version: number) => `${memoryId}/${version}`

/**
 * The memory; null if there is none or it was erased.
 * @throws the error that keeps its event from being read
 */
export function readableMemory(found: Found | undefined): RecordedMemory | null {
  if (found instanceof Error) throw found
  return found ?? null
}

function toFound(record: JournalRecord): Found {
  switch (record.status) {
    case 'readable': {
      const { data, version, sequence, hash } = record.event
      return { state: data.state, version, sequence, hash }
    }
    case 'opaque':
      return record.error
    case 'erased':
      return null
  }
}

/** Reads what the requests need, in at most three statements for any number of requests. */
export async function readContext(
  trx: DatabaseTransaction,
  projectId: string,
  requests: readonly AppendRequest[],
): Promise<BatchContext> {
  const keyUses = await readKeyUses(trx, projectId, requests)
  const commands = requests.map((request) => request.command)
  const ids = new Set([
    ...commands.filter((command) => command.type !== 'remember').map((command) => command.id),
    ...[...keyUses.values()].map((use) => use.memoryId),
  ])
  const wanted = [
    ...commands.flatMap(restoredVersion),
    ...[...keyUses.values()].map((use) => [use.memoryId, use.version] as const),
  ]
  return {
    memories: await readNewest(trx, projectId, [...ids]),
    versions: await readVersions(trx, projectId, wanted),
    keyUses,
  }
}

function restoredVersion(command: Command): (readonly [string, number])[] {
  return command.type === 'restore' && command.version !== undefined ? [[command.id, command.version]] : []
}

async function readKeyUses(trx: DatabaseTransaction, projectId: string, requests: readonly AppendRequest[]) {
  const keys = requests.flatMap((request) => request.idempotencyKey ?? [])
  if (keys.length === 0) return new Map<string, KeyUse>()
  const rows = await trx
    .selectFrom('idempotency_keys')
    .select(['idempotency_key', 'request_hash', 'memory_id', 'version'])
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`idempotency_key = any(${keys}::text[])`)
    .execute()
  return new Map(
    rows.map((row) => [
      row.idempotency_key,
      { hash: row.request_hash, memoryId: row.memory_id, version: row.version },
    ]),
  )
}

async function readNewest(trx: DatabaseTransaction, projectId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, Found>()
  const rows = await trx
    .selectFrom('events')
    .select(EVENT_COLUMNS)
    .distinctOn('memory_id')
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`memory_id = any(${ids}::uuid[])`)
    .orderBy('memory_id')
    .orderBy('version', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.memory_id, toFound(toRecord(row))]))
}

async function readVersions(
  trx: DatabaseTransaction,
  projectId: string,
  wanted: readonly (readonly [string, number])[],
) {
  if (wanted.length === 0) return new Map<string, Found>()
  const rows = await trx
    .selectFrom('events')
    .select(EVENT_COLUMNS)
    .where('project_id', '=', projectId)
    .where(
      sql<SqlBool>`(memory_id, version) in (select * from unnest(${wanted.map(([id]) => id)}::uuid[], ${wanted.map(([, version]) => version)}::int[]))`,
    )
    .execute()
  return new Map(rows.map((row) => [versionKey(row.memory_id, row.version), toFound(toRecord(row))]))
}
