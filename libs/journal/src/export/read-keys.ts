import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { versionKey } from '../append/batch-context.ts'
import type { ChainedEvent } from '../chain/chain-events.ts'
import type { ExportedKey } from './export-format.ts'

interface KeyRow {
  readonly memoryId: string
  readonly version: number
  readonly key: string
  readonly requestHash: Buffer | null
}

/** The idempotency keys of the requests that led to these events, by `versionKey`. */
export async function readKeys(
  { db, projectId }: ProjectScope,
  events: readonly ChainedEvent[],
): Promise<Map<string, ExportedKey[]>> {
  // One index lookup per event, whatever the statistics say. Without statistics, as in an embedded database,
  // the planner would read all keys of the project for every page.
  const { rows } = await sql<KeyRow>`
    select given.memory_id as "memoryId", given.version, uses.idempotency_key as key, uses.request_hash as "requestHash"
    from unnest(${events.map(({ memoryId }) => memoryId)}::uuid[], ${events.map(({ version }) => version)}::int[])
      as given(memory_id, version)
    cross join lateral (
      select idempotency_key, request_hash from idempotency_keys
      where memory_id = given.memory_id and version = given.version and project_id = ${projectId}
      offset 0
    ) uses`.execute(db)
  const keys = new Map<string, ExportedKey[]>()
  for (const row of rows) {
    const place = versionKey(row.memoryId, row.version)
    const key = { key: row.key, requestHash: row.requestHash?.toString('hex') ?? null }
    keys.set(place, [...(keys.get(place) ?? []), key])
  }
  // Sorted here: the database's order of texts depends on its locale.
  for (const some of keys.values()) some.sort((a, b) => (a.key < b.key ? -1 : 1))
  return keys
}
