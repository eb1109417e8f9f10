import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'

/** What is stored of a memory for late interaction. */
export interface StoredTokens {
  /** Its token bits (`@daybook/embeddings/token-bits/token-bits`); null while the text is not embedded. */
  readonly bits: Buffer | null
  /** The first 50 characters of a note, which show who speaks. Null for other kinds, and if not asked for. */
  readonly beginning: string | null
  /** When it happened, else when it was remembered; milliseconds since 1970. */
  readonly time: number
}

/** Which memories. */
export interface TokensAsked {
  readonly modelId: string
  readonly memoryIds: readonly string[]
  readonly withBeginnings: boolean
}

interface Row {
  readonly memory_id: string
  readonly token_bits: Buffer | null
  readonly beginning: string | null
  readonly time: number
}

/**
 * So many memories are read by two statements, on two connections: Postgres looks up and writes out one half while the other
 * is on its way and taken apart here. 520 memories take 9 ms instead of 13 (docs/measurements.md#reading-token-bits).
 */
const SPLIT_FROM = 200

/**
 * Reads the token bits of memories, by id. They are in the embedding store only, by the hash of the text: a
 * copy in each generation would take another 1.6 KB a memory.
 */
export async function readTokens(
  scope: ProjectScope,
  readModel: Pick<LiveReadModel, 'tables'>,
  asked: TokensAsked,
): Promise<Map<string, StoredTokens>> {
  const { memoryIds } = asked
  if (memoryIds.length === 0) return new Map()
  const middle = memoryIds.length < SPLIT_FROM ? memoryIds.length : Math.ceil(memoryIds.length / 2)
  const parts = [memoryIds.slice(0, middle), memoryIds.slice(middle)].filter((ids) => ids.length > 0)
  const read = await Promise.all(parts.map((ids) => readRows(scope, readModel, { ...asked, memoryIds: ids })))
  return new Map(
    read
      .flat()
      .map((row) => [row.memory_id, { bits: row.token_bits, beginning: row.beginning, time: row.time }]),
  )
}

async function readRows(
  { db, projectId }: ProjectScope,
  { tables }: Pick<LiveReadModel, 'tables'>,
  { modelId, memoryIds, withBeginnings }: TokensAsked,
): Promise<readonly Row[]> {
  // `offset 0` makes the planner look up each memory, and each text, by its key.
  const { rows } = await sql<Row>`
    select given.memory_id, stored.token_bits, m.beginning, m.time
    from unnest(${memoryIds}::uuid[]) as given(memory_id) cross join lateral (
      select content_hash, extract(epoch from coalesce(occurred_at, created_at))::float8 * 1000 as time,
        case when ${withBeginnings} and kind = 'note' then left(state->'content'->>'text', 50) end as beginning
      from ${tables.memories} one where one.project_id = ${projectId} and one.memory_id = given.memory_id offset 0
    ) m left join lateral (
      select token_bits from embeddings
      where project_id = ${projectId} and model_id = ${modelId} and content_hash = m.content_hash offset 0
    ) stored on true`.execute(db)
  return rows
}
