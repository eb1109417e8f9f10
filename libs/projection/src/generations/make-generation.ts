import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import { type Builder, holdOperation } from '../rebuild/fence.ts'
import { type Generation, insertGeneration, liveGeneration } from './generations.ts'

/** What generations are made of. */
export interface GenerationLayout {
  readonly projection: string
  /** The version of the layout that this code makes. */
  readonly layoutVersion: number
  /** Makes what a generation is kept in, as far as that is in Postgres. A live one is ready for use then. Default: nothing is. */
  readonly make?: (
    trx: DatabaseTransaction,
    generation: Generation,
    status: 'live' | 'building',
  ) => Promise<void>
}

/** Two processes that make generations at once take turns by it; the number is arbitrary but must stay. */
const MAKE_LOCK = 7_033_215

/** Until the transaction ends, nobody else makes a generation, of whatever projection. */
export async function lockMaking(trx: DatabaseTransaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MAKE_LOCK})`.execute(trx)
}

/** The live generation; on the very first start generation 1, made empty for the given model. */
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
 * Makes an empty generation beside the live one, to be filled by a rebuild.
 * @throws FencedOffError where another has taken the rebuild over
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
