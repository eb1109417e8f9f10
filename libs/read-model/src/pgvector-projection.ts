import type { Generation } from '@daybook/projection/generations'
import { lockPosition, readPosition, savePosition } from '@daybook/projection/positions'
import type { Projection } from '@daybook/projection/projection'
import { generationTables, PGVECTOR } from './generation-tables.ts'
import { postBatch } from './post-batch.ts'

/** The Postgres read model. Rows and position are one transaction, so an event takes effect exactly once. */
export function pgvectorProjection(generation: Generation): Projection {
  const place = { name: PGVECTOR, generation: generation.generation }
  const tables = generationTables(generation.generation)
  return {
    ...place,
    position: ({ db, projectId }) => readPosition(db, place, projectId),
    apply: ({ db, projectId }, batch) =>
      db.transaction().execute(async (trx) => {
        await lockPosition(trx, place, projectId, batch)
        await postBatch(trx, tables, generation, projectId, batch.events)
        await savePosition(trx, place, projectId, batch)
      }),
  }
}
