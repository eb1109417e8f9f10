import type { DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import { sql } from 'kysely'

/*
 * The generations of a projection, each a physical copy of it:
 *
 *   building ──loaded──▶ following ──swap──▶ live ──swap──▶ old ──drop──▶ dropping ──▶ gone
 *                                              ▲──rollback────┘
 *
 * building   filled from the journal's beginning by a rebuild; nobody else writes it
 * following  filled; projectors keep it up with the journal while it is compared
 * live       the one that queries read; always exactly one, once there is any
 * old        was live; projectors still keep it up, so that a rollback is nothing but a swap
 * dropping   its data is being deleted; nobody writes it
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
  /** The version of the layout that it was made with. */
  readonly layoutVersion: number
  /** Why it can be neither written nor read, in words; null of one that can. */
  readonly unusable: string | null
  readonly createdAt: string
  /** When another took its place; null while it has never been live, or is. */
  readonly retiredAt: string | null
}

/** What projectors write. */
export const APPLIED_TO: readonly GenerationStatus[] = ['following', 'live', 'old']

/** The live one with all that is known of it; null before the first start. */
export async function liveGenerationState(
  db: Queryable,
  projection: string,
): Promise<GenerationState | null> {
  return (await listGenerations(db, projection)).find((one) => one.status === 'live') ?? null
}

/** The generation that queries read now; null before the first start. */
export async function liveGeneration(db: Queryable, projection: string): Promise<Generation | null> {
  const live = await liveGenerationState(db, projection)
  if (live === null) return null
  const { generation, modelId, dimension } = live
  return { projection, generation, modelId, dimension }
}

/** All of them, oldest first. */
export async function listGenerations(db: Queryable, projection: string): Promise<GenerationState[]> {
  return db
    .selectFrom('generations')
    .select(['projection', 'generation', 'model_id as modelId', 'dimension', 'status', 'unusable'])
    .select(['layout_version as layoutVersion', 'created_at as createdAt', 'retired_at as retiredAt'])
    .where('projection', '=', projection)
    .orderBy('generation')
    .execute()
}

export interface NewGeneration {
  readonly model: { readonly modelId: string; readonly dimension: number }
  readonly status: 'live' | 'building'
  /** The version of the layout that it is made with. */
  readonly layoutVersion: number
  /** The token of the rebuild that makes it. Default none. */
  readonly builder?: string | null
}

/**
 * Notes a new generation, with a number that no other ever had: whoever still means one that is gone must not meet it. Part of
 * the transaction that makes it, under its lock.
 */
export async function insertGeneration(
  trx: DatabaseTransaction,
  projection: string,
  { model: { modelId, dimension }, status, layoutVersion, builder = null }: NewGeneration,
): Promise<Generation> {
  const { rows } = await sql<{ generation: number }>`
    with numbered as (
      insert into generation_numbers as n (projection, last)
      select ${projection}, coalesce(max(generation), 0) + 1 from generations where projection = ${projection}
      on conflict (projection) do update set last = greatest(n.last + 1, excluded.last)
      returning last
    )
    insert into generations (projection, generation, status, model_id, dimension, layout_version, builder)
    select ${projection}, last, ${status}, ${modelId}, ${dimension}::int, ${layoutVersion}::int, ${builder} from numbered
    returning generation`.execute(trx)
  const generation = rows[0]?.generation
  if (generation === undefined) throw new Error(`no generation of ${projection} was made`)
  return { projection, generation, modelId, dimension }
}

/**
 * Locks a generation whose data is about to be deleted. Part of the transaction that does it.
 * @returns false where it is not being dropped: then it is another's, or gone already
 */
export async function holdDropping(
  trx: DatabaseTransaction,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
): Promise<boolean> {
  const row = await trx
    .selectFrom('generations')
    .select('status')
    .where('projection', '=', projection)
    .where('generation', '=', generation)
    .forUpdate()
    .executeTakeFirst()
  return row?.status === 'dropping'
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

/** Forgets a generation and how far it was written. Part of the transaction that deletes its data. */
export async function forgetGeneration(
  trx: DatabaseTransaction,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
): Promise<void> {
  await trx
    .deleteFrom('checkpoints')
    .where('reader', '=', projection)
    .where('generation', '=', generation)
    .execute()
  for (const table of ['positions', 'parked_events', 'self_checks', 'generations'] as const)
    await trx
      .deleteFrom(table)
      .where('projection', '=', projection)
      .where('generation', '=', generation)
      .execute()
}

/**
 * Notes that a generation can be neither written nor read: it is not written any more, queries say so, and the live one is made
 * anew (`services/reindex/src/unusable`).
 * @param reason in words, for operators
 * @returns false where that was known
 */
export async function markUnusable(
  db: Queryable,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
  reason: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('generations')
    .set({ unusable: reason.slice(0, 500) })
    .where('projection', '=', projection)
    .where('generation', '=', generation)
    .where('unusable', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
