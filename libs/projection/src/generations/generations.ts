import type { DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import { type SqlBool, sql } from 'kysely'

/*
 * The generations of a projection, each a physical copy of it:
 *
 *   building ──loaded──▶ following ──swap──▶ live ──swap──▶ old ──drop──▶ dropping ──▶ gone
 *                                              ▲──rollback────┘
 *
 *   building   a rebuild fills it from the journal's beginning; nobody else writes it
 *   following  filled; projectors keep it up to date while it is compared with the journal
 *   live       queries read it; exactly one generation is live, once there is any
 *   old        was live; projectors keep it up to date, so that a rollback is only a swap
 *   dropping   its data is being deleted; nobody writes it
 */
export type GenerationStatus = 'building' | 'following' | 'live' | 'old' | 'dropping'

/** One physical copy of a projection, and the model whose vectors are in it. */
export interface Generation {
  readonly projection: string
  readonly generation: number
  readonly modelId: string
  readonly dimension: number
}

/** A generation with its status. */
export interface GenerationState extends Generation {
  readonly status: GenerationStatus
  /** The layout version that it was made with. */
  readonly layoutVersion: number
  /** Why it can be neither written nor read, in words; null if it is usable. */
  readonly unusable: string | null
  readonly createdAt: string
  /** When another generation replaced it; null if it is live or has never been. */
  readonly retiredAt: string | null
}

/** The statuses in which projectors write a generation. */
export const APPLIED_TO: readonly GenerationStatus[] = ['following', 'live', 'old']

/** The generation that queries read now; null before the first start. */
export async function liveGeneration(db: Queryable, projection: string): Promise<Generation | null> {
  const live = (await listGenerations(db, projection)).find((one) => one.status === 'live')
  if (live === undefined) return null
  const { generation, modelId, dimension } = live
  return { projection, generation, modelId, dimension }
}

/** All generations of a projection, or of every one, oldest first, whatever their status. */
export async function listGenerations(db: Queryable, projection?: string): Promise<GenerationState[]> {
  return db
    .selectFrom('generations')
    .select(['projection', 'generation', 'model_id as modelId', 'dimension', 'status', 'unusable'])
    .select(['layout_version as layoutVersion', 'created_at as createdAt', 'retired_at as retiredAt'])
    .$if(projection !== undefined, (query) => query.where('projection', '=', projection as string))
    .orderBy('projection')
    .orderBy('generation')
    .execute()
}

/** The properties of a generation to be created. */
interface NewGeneration {
  readonly model: { readonly modelId: string; readonly dimension: number }
  readonly status: 'live' | 'building'
  /** The layout version that it is made with. */
  readonly layoutVersion: number
  /** The token of the rebuild that makes it. Default null: no rebuild. */
  readonly builder?: string | null
}

/**
 * Inserts a new generation under a number that was never used before, so that a process that still refers to
 * a deleted generation cannot hit the new one. Call it in the transaction that creates the generation, under
 * its lock.
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
 * Locks a generation in the transaction that deletes its data.
 * @returns false if its status is not `dropping`: it is in use again, or already gone
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

/** Moves a generation to another status. @returns false if its status was not in `from` */
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

/** Deletes a generation's row and its progress, in the transaction that deletes its data. */
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
 * Marks a generation as unusable. Projectors stop writing it, queries report it, and if it is live it is
 * rebuilt (`services/reindex/src/chores.ts`).
 * @param reason in words, for operators
 * @returns false if it was marked already
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

/** Names a generation of a projection. */
export interface GenerationRef {
  /** `pgvector`, `typesense` */
  readonly name: string
  readonly generation: number
}

/** A condition on a table with the columns `projection` and `generation`: the generation's rows. */
export const ofGeneration = ({ name, generation }: GenerationRef) =>
  sql<SqlBool>`projection = ${name} and generation = ${generation}`

/** How far a generation has come, over all projects. */
export interface GenerationProgress {
  /** Events not applied yet. */
  readonly lag: number
  /** Parked events that nobody has dropped. */
  readonly parked: number
  /** The sum of its positions. It grows whenever a projector makes progress. */
  readonly applied: number
}

/** Reads a generation's progress over all projects. */
export async function describeGeneration(
  db: Queryable,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
): Promise<GenerationProgress> {
  const { rows } = await sql<GenerationProgress>`
    select
      (select coalesce(sum(greatest(head.sequence - coalesce(place.position, 0), 0)), 0)::bigint
        from journal_heads head left join positions place on place.project_id = head.project_id
          and place.projection = ${projection} and place.generation = ${generation}) as lag,
      (select count(*) from parked_events
        where projection = ${projection} and generation = ${generation} and dropped_at is null) as parked,
      (select coalesce(sum(position), 0)::bigint from positions
        where projection = ${projection} and generation = ${generation}) as applied`.execute(db)
  return rows[0] ?? { lag: 0, parked: 0, applied: 0 }
}
