import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type SqlBool, sql } from 'kysely'
import { versionKey } from '../batch-context.ts'
import type { ChainedEvent } from '../chain/chain-events.ts'
import type { ExportedKey } from './export-format.ts'

/** The idempotency keys of requests that led to the versions of these events, by `versionKey`. */
export async function readKeys(
  { db, projectId }: ProjectScope,
  events: readonly ChainedEvent[],
): Promise<Map<string, ExportedKey[]>> {
  const rows = await db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('project_id', '=', projectId)
    .where(
      sql<SqlBool>`(memory_id, version) in (select * from unnest(${events.map(({ memoryId }) => memoryId)}::uuid[], ${events.map(({ version }) => version)}::int[]))`,
    )
    .execute()
  const keys = new Map<string, ExportedKey[]>()
  for (const row of rows) {
    const place = versionKey(row.memory_id, row.version)
    const key = { key: row.idempotency_key, requestHash: row.request_hash.toString('hex') }
    keys.set(place, [...(keys.get(place) ?? []), key])
  }
  // Here and not in the database, whose order of texts depends on its locale.
  for (const some of keys.values()) some.sort((a, b) => (a.key < b.key ? -1 : 1))
  return keys
}
