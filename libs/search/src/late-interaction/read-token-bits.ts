import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'

/**
 * The token bits of memories, by id (`@daybook/embeddings/token-bits/token-bits`). They are in the embedding
 * store only, by the hash of the text: a copy in each generation would take another 1.6 KB a memory.
 *
 * @returns without the memories whose texts are not embedded yet
 */
export async function readTokenBits(
  { db, projectId }: ProjectScope,
  { tables, generation }: Pick<LiveReadModel, 'tables' | 'generation'>,
  memoryIds: readonly string[],
): Promise<Map<string, Buffer>> {
  if (memoryIds.length === 0) return new Map()
  // `offset 0` makes the planner look up each memory, and each text, by its key.
  const { rows } = await sql<{ memory_id: string; token_bits: Buffer }>`
    select given.memory_id, stored.token_bits
    from unnest(${memoryIds}::uuid[]) as given(memory_id) cross join lateral (
      select content_hash from ${tables.memories}
      where project_id = ${projectId} and memory_id = given.memory_id offset 0
    ) m cross join lateral (
      select token_bits from embeddings
      where project_id = ${projectId} and model_id = ${generation.modelId} and content_hash = m.content_hash
        and token_bits is not null offset 0
    ) stored`.execute(db)
  return new Map(rows.map((row) => [row.memory_id, row.token_bits]))
}
