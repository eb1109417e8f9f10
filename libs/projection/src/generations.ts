import type { Database, DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import { sql } from 'kysely'

/*
 * The generations of a projection, each a physical copy of it:
 *
 *   building ──loaded──▶ following ──swap──▶ live ──swap──▶ old ──drop──▶ dropping ──▶ gone
 *                                              ▲──rollback────┘
 *
 * building   filled from the journal's beginning by a rebuild; nobody else posts it
 * following  filled; projectors keep it up with the journal while it is compared
 * live       the one that queries read; always exactly one, once there is any
 * old        was live; projectors still keep it up, so that a rollback is nothing but a swap
 * dropping   its data is being deleted; nobody posts it
 */
export type GenerationStatus = 'building' | 'following' | 'live' | 'old' | 'dropping'

/** One physical copy of a projection, and the model whose vectors are in it. */
export interface Generation {
  readonly projection: string
  readonly generation: number
  readonly modelId: string
  readonly dimension: number
}

export interface GenerationState extends Generation {
  readonly status: GenerationStatus
  readonly createdAt: string
  /** When another took its place; null while it has never been live, or is. */
  readonly retiredAt: string | null
}

/** What projectors post. */
export const POSTED: readonly GenerationStatus[] = ['following', 'live', 'old']

/** The generation that queries read now; null before the first start. */
export async function liveGeneration(db: Queryable, projection: string): Promise<Generation | null> {
  const live = (await listGenerations(db, projection)).find((one) => one.status === 'live')
  if (live === undefined) return null
  const { generation, modelId, dimension } = live
  return { projection, generation, modelId, dimension }
}

/** All of them, oldest first. */
export async function listGenerations(db: Queryable, projection: string): Promise<GenerationState[]> {
  const rows = await db
    .selectFrom('generations')
    .select(['generation', 'model_id', 'dimension', 'status', 'created_at', 'retired_at'])
    .where('projection', '=', projection)
    .orderBy('generation')
    .execute()
  return rows.map((row) => ({
    projection,
    generation: row.generation,
    modelId: row.model_id,
    dimension: row.dimension,
    status: row.status,
    createdAt: row.created_at,
    retiredAt: row.retired_at,
  }))
}

/** Notes a new generation; its number is one more than the last. Part of the transaction that makes it, under its lock. */
export async function insertGeneration(
  trx: DatabaseTransaction,
  projection: string,
  model: { readonly modelId: string; readonly dimension: number },
  status: 'live' | 'building',
): Promise<Generation> {
  const { modelId, dimension } = model
  const { rows } = await sql<{ generation: number }>`
    insert into generations (projection, generation, status, model_id, dimension)
    select ${projection}, coalesce(max(generation), 0) + 1, ${status}, ${modelId}, ${dimension}::int
    from generations where projection = ${projection}
    returning generation`.execute(trx)
  const generation = rows[0]?.generation
  if (generation === undefined) throw new Error(`no generation of ${projection} was made`)
  return { projection, generation, modelId, dimension }
}

/** Moves one generation from a status to the next. @returns false where it was not in `from` */
export async function moveGeneration(
  db: Queryable,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
  from: readonly GenerationStatus[],
  to: Exclude<GenerationStatus, 'live'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('generations')
    .set({ status: to })
    .where('projection', '=', projection)
    .where('generation', '=', generation)
    .where('status', 'in', from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Makes a generation the one that queries read, and what was live until then old: in one transaction, so that at no moment
 * there is none, or two. Others that were old before are dropped: each is kept up with every write, and a rollback needs one.
 * @returns false where it is neither following nor old, and nothing was changed
 */
export async function swapGenerations(
  db: Database,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const rows = await trx
      .selectFrom('generations')
      .select(['generation', 'status'])
      .where('projection', '=', projection)
      .orderBy('generation')
      .forUpdate()
      .execute()
    const status = rows.find((row) => row.generation === generation)?.status
    if (status !== 'following' && status !== 'old') return false
    await trx
      .updateTable('generations')
      .set({ status: 'dropping' })
      .where('projection', '=', projection)
      .where('status', '=', 'old')
      .where('generation', '<>', generation)
      .execute()
    await trx
      .updateTable('generations')
      .set({ status: 'old', retired_at: sql`now()` })
      .where('projection', '=', projection)
      .where('status', '=', 'live')
      .execute()
    await trx
      .updateTable('generations')
      .set({ status: 'live', retired_at: null })
      .where('projection', '=', projection)
      .where('generation', '=', generation)
      .execute()
    return true
  })
}

/** Forgets a generation and how far it was posted. Part of the transaction that deletes its data. */
export async function forgetGeneration(
  trx: DatabaseTransaction,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
): Promise<void> {
  await trx
    .deleteFrom('checkpoints')
    .where('reader', '=', projection)
    .where('generation', '=', generation)
    .execute()
  for (const table of ['positions', 'parked_events', 'generations'] as const)
    await trx
      .deleteFrom(table)
      .where('projection', '=', projection)
      .where('generation', '=', generation)
      .execute()
}
