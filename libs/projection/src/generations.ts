import type { Queryable } from '@daybook/postgres/connect'

/** One physical copy of a projection, and the model whose vectors are in it. */
export interface Generation {
  readonly projection: string
  readonly generation: number
  readonly modelId: string
  readonly dimension: number
}

/** The generation that queries read now; null before the first start. */
export async function liveGeneration(db: Queryable, projection: string): Promise<Generation | null> {
  const row = await db
    .selectFrom('generations')
    .select(['generation', 'model_id', 'dimension'])
    .where('projection', '=', projection)
    .where('status', '=', 'live')
    .executeTakeFirst()
  return row === undefined
    ? null
    : { projection, generation: row.generation, modelId: row.model_id, dimension: row.dimension }
}
