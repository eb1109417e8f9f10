import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import { type Builder, holdOperation } from '../rebuild/fence.ts'
import { type Generation, insertGeneration, liveGeneration } from './generations.ts'

/** How an engine lays out its generations. */
export interface GenerationLayout {
  readonly projection: string
  /** The layout version that this code creates. */
  readonly layoutVersion: number
  /**
   * Creates a generation's tables in Postgres. A live generation must be ready for use afterwards. Default:
   * it has none.
   */
  readonly make?: (
    trx: DatabaseTransaction,
    generation: Generation,
    status: 'live' | 'building',
  ) => Promise<void>
}

/**
 * Processes that create generations at the same time take turns with this lock. The number is arbitrary but
 * must not change.
 */
const MAKE_LOCK = 7_033_215

/** Keeps everybody else from creating a generation, of any projection, until the transaction ends. */
export async function lockMaking(trx: DatabaseTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MAKE_LOCK})`.execute(trx)
}

/**
 * Returns the live generation. On the very first start, creates an empty generation 1 for the given model.
 */
export async function ensureLiveGeneration(
  db: Database,
  { projection, layoutVersion, make }: GenerationLayout,
  model: EmbeddingModel,
): Promise<Generation> {
  return db.transaction().execute(async (trx) => {
    await lockMaking(trx)
    const live = await liveGeneration(trx, projection)
    if (live !== null) return live
    const first = await insertGeneration(trx, projection, { model, status: 'live', layoutVersion })
    await make?.(trx, first, 'live')
    return first
  })
}

/**
 * Creates an empty generation beside the live one, for a rebuild to fill.
 * @throws FencedOffError if another process has taken the rebuild over
 */
export async function createGeneration(
  db: Database,
  { projection, layoutVersion, make }: GenerationLayout,
  model: EmbeddingModel,
  builder: Builder | null,
): Promise<Generation> {
  return db.transaction().execute(async (trx) => {
    await lockMaking(trx)
    if (builder !== null) await holdOperation(trx, builder)
    const made = await insertGeneration(trx, projection, {
      model,
      status: 'building',
      layoutVersion,
      builder: builder?.token ?? null,
    })
    await make?.(trx, made, 'building')
    return made
  })
}
